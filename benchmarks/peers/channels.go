// What the native back end is held against: three goroutines and two channels on two processors.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

func pipeline(depth int, tokens uint64) uint64 {
	first := make(chan uint64, depth)
	second := make(chan uint64, depth)
	sum := make(chan uint64)
	go func() {
		for i := uint64(0); i < tokens; i++ {
			first <- i
		}
		close(first)
	}()
	go func() {
		for token := range first {
			second <- 3*token + 1
		}
		close(second)
	}()
	go func() {
		all := uint64(0)
		for token := range second {
			all += token
		}
		sum <- all
	}()
	return <-sum
}

func expected(tokens uint64) uint64 {
	sum := uint64(0)
	for i := uint64(0); i < tokens; i++ {
		sum += 3*i + 1
	}
	return sum
}

func main() {
	depths := map[string]int{"pipeline3-d16": 16, "pipeline3-d256": 256}
	if len(os.Args) != 3 || depths[os.Args[1]] == 0 {
		fmt.Fprintln(os.Stderr, "error: expected WORKLOAD and TOKENS, the workload one of pipeline3-d16, pipeline3-d256")
		os.Exit(2)
	}
	tokens, err := strconv.ParseUint(os.Args[2], 10, 64)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: TOKENS: expected a number, got '%s'\n", os.Args[2])
		os.Exit(2)
	}
	runtime.GOMAXPROCS(2)
	began := time.Now()
	sum := pipeline(depths[os.Args[1]], tokens)
	seconds := time.Since(began).Seconds()
	if sum != expected(tokens) {
		fmt.Fprintf(os.Stderr, "error: expected the tokens to come to %d, got %d\n", expected(tokens), sum)
		os.Exit(2)
	}
	fmt.Printf("{\"seconds\": %g, \"tokens\": %d, \"actor_bytes\": 0, \"made_by\": \"%s\"}\n", seconds, tokens, runtime.Version())
}
