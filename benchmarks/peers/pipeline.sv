// The pipeline of engine.pipeline8 in hardware: a counter, a stage that maps x to 3 x + 1, a sink that sums; a token a
// cycle through ready/valid FIFOs.
module pipeline #(
    parameter int unsigned DEPTH = 16,  // of both FIFOs
    parameter int unsigned WIDTH = 64   // bits of a token
) (
    input  logic             clk,
    input  logic             rst,
    output logic [WIDTH-1:0] taken,     // tokens that reached the sink
    output logic [WIDTH-1:0] sum        // of their values
);
  logic             source_ready;
  logic [WIDTH-1:0] source_reg;
  logic             stage_valid;
  logic             stage_ready;
  logic [WIDTH-1:0] stage_data;
  logic             sink_valid;
  logic [WIDTH-1:0] sink_data;

  fifo #(.DEPTH, .WIDTH) terms (
      .clk, .rst, .in_valid(1'b1), .in_ready(source_ready), .in_data(source_reg),
      .out_valid(stage_valid), .out_ready(stage_ready), .out_data(stage_data));

  fifo #(.DEPTH, .WIDTH) results (
      .clk, .rst, .in_valid(stage_valid), .in_ready(stage_ready), .in_data(WIDTH'(3) * stage_data + WIDTH'(1)),
      .out_valid(sink_valid), .out_ready(1'b1), .out_data(sink_data));

  always_ff @(posedge clk) begin
    if (source_ready) source_reg <= source_reg + 1'b1;
    if (sink_valid) begin
      taken <= taken + 1'b1;
      sum   <= sum + sink_data;
    end
    if (rst) begin
      source_reg <= '0;
      taken      <= '0;
      sum        <= '0;
    end
  end
endmodule
