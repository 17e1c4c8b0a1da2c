#!/bin/sh
#SBATCH --job-name=isthmus-{name}
#SBATCH --output=%x-%j.log
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node={ranks_per_node}
#SBATCH --exclusive
#SBATCH --time={time}
{options}
# One rank a device. Slurm binds no rank: each binds itself to the cores that are nearest to its device.
set -eu
# module load openmpi
{command}
