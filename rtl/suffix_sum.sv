// The suffix sum of stacc listing 1: adds each token to a sum, emits the sum, and stops at sum >= STOP.
//
// One step of the actor: pull if a token is there, add, push. Pull and push fall into the same cycle; while the output
// is full the step lasts on, no new one starts, and the sum waits in its register (docs/time.md, "A step").
module suffix_sum #(
    parameter int unsigned WIDTH = 32,  // bits of a signed token, 2 to 64
    parameter int STOP = 128            // the sum at which the actor finishes, within a token's range
) (
    input  logic             clk,
    input  logic             rst,       // synchronous; the sum starts at 0
    // Tokens to add
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    // Sums
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data,
    // The actor has stopped and takes no more tokens
    output logic             finished
);
  if (WIDTH < 2 || WIDTH > 64) begin : gen_width_out_of_range
    $fatal(1, "suffix_sum: WIDTH: expected 2 to 64, got %0d", WIDTH);
  end else if (WIDTH < 32 && (STOP >= 2 ** (WIDTH - 1) || STOP < -(2 ** (WIDTH - 1)))) begin : gen_stop_out_of_range
    $fatal(1, "suffix_sum: STOP: expected a signed number of %0d bits, got %0d", WIDTH, STOP);
  end

  logic signed [WIDTH-1:0] sum_reg;
  logic signed [WIDTH-1:0] sum_next;
  logic                    blocked_reg;  // the sum was computed but the output was full

  assign finished  = !blocked_reg && sum_reg >= WIDTH'(STOP);
  assign in_ready  = !blocked_reg && !finished;
  assign sum_next  = in_valid && in_ready ? sum_reg + $signed(in_data) : sum_reg;
  assign out_valid = blocked_reg || (in_valid && in_ready);
  assign out_data  = sum_next;

  always_ff @(posedge clk) begin
    sum_reg     <= sum_next;
    blocked_reg <= out_valid && !out_ready;
    if (rst) begin
      sum_reg     <= '0;
      blocked_reg <= 1'b0;
    end
  end
endmodule
