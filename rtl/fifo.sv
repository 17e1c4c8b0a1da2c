// Registered valid/ready FIFO: the engine's channel with forward and return latency of one cycle.
//
// A token written at cycle k can be read from k + 1; a slot read at cycle j can be written again from j + 1. Neither
// side sees the other within a cycle (no path from out_ready to in_ready or from in_valid to out_valid), so a depth
// of 1 carries a token every two cycles and a depth of 2 or more one a cycle.
module fifo #(
    parameter int unsigned DEPTH = 2,   // tokens held, 1 to 65536, any number
    parameter int unsigned WIDTH = 64   // bits of a token, 1 to 4096
) (
    input  logic             clk,
    input  logic             rst,       // synchronous; empties the FIFO
    // Writer
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    // Reader
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);
  if (DEPTH < 1 || DEPTH > 65536) begin : gen_depth_out_of_range
    $fatal(1, "fifo: DEPTH: expected 1 to 65536, got %0d", DEPTH);
  end
  if (WIDTH < 1 || WIDTH > 4096) begin : gen_width_out_of_range
    $fatal(1, "fifo: WIDTH: expected 1 to 4096, got %0d", WIDTH);
  end

  localparam int unsigned INDEX_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int unsigned COUNT_BITS = DEPTH > 0 ? $clog2(DEPTH + 1) : 1;
  localparam logic [INDEX_BITS-1:0] LAST = INDEX_BITS'(DEPTH - 1);
  localparam logic [COUNT_BITS-1:0] FULL = COUNT_BITS'(DEPTH);

  logic [WIDTH-1:0]      memory_reg [DEPTH];
  logic [INDEX_BITS-1:0] write_reg;
  logic [INDEX_BITS-1:0] read_reg;
  logic [COUNT_BITS-1:0] count_reg;

  logic write;
  logic read;

  assign in_ready  = count_reg != FULL;
  assign out_valid = count_reg != '0;
  assign out_data  = memory_reg[read_reg];
  assign write     = in_valid && in_ready;
  assign read      = out_valid && out_ready;

  always_ff @(posedge clk) begin
    if (write) begin
      memory_reg[write_reg] <= in_data;
      write_reg <= write_reg == LAST ? '0 : write_reg + 1'b1;
    end
    if (read) read_reg <= read_reg == LAST ? '0 : read_reg + 1'b1;
    if (write && !read) count_reg <= count_reg + 1'b1;
    if (read && !write) count_reg <= count_reg - 1'b1;
    if (rst) begin
      write_reg <= '0;
      read_reg  <= '0;
      count_reg <= '0;
    end
  end
endmodule
