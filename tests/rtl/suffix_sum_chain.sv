// FIFO, suffix sum, FIFO: the design under test, with the handshakes inside brought out.
module suffix_sum_chain #(
    parameter int unsigned DEPTH = 2,   // of both FIFOs
    localparam int unsigned WIDTH = 32
) (
    input  logic             clk,
    input  logic             rst,
    // Source
    input  logic             source_valid,
    output logic             source_ready,
    input  logic [WIDTH-1:0] source_data,
    // Sink
    output logic             sink_valid,
    input  logic             sink_ready,
    output logic [WIDTH-1:0] sink_data,
    // What the suffix sum pulls and pushes in this cycle
    output logic             pulls,
    output logic [WIDTH-1:0] pulled,
    output logic             pushes,
    output logic [WIDTH-1:0] pushed,
    output logic             finished
);
  logic             term_valid;
  logic             term_ready;
  logic             sum_valid;
  logic             sum_ready;

  assign pulls  = term_valid && term_ready;
  assign pushes = sum_valid && sum_ready;

  fifo #(.DEPTH, .WIDTH) terms (
      .clk, .rst, .in_valid(source_valid), .in_ready(source_ready), .in_data(source_data),
      .out_valid(term_valid), .out_ready(term_ready), .out_data(pulled));

  suffix_sum #(.WIDTH, .STOP(128)) sum (
      .clk, .rst, .in_valid(term_valid), .in_ready(term_ready), .in_data(pulled),
      .out_valid(sum_valid), .out_ready(sum_ready), .out_data(pushed), .finished);

  fifo #(.DEPTH, .WIDTH) sums (
      .clk, .rst, .in_valid(sum_valid), .in_ready(sum_ready), .in_data(pushed),
      .out_valid(sink_valid), .out_ready(sink_ready), .out_data(sink_data));
endmodule
