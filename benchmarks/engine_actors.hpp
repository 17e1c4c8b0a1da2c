#pragma once

#include <array>
#include <cstdint>

#include "isthmus/stream.hpp"
#include "isthmus/stream/arbiter.hpp"

namespace isthmus::bench {

/// A token of 8 bytes, and one of 64: a cache line, and the 512-bit word of stacc Table I.
using Word = std::uint64_t;
struct Line {
  std::array<Word, 8> words;
};

/// 4 KiB: built and read where it stands.
struct Page {
  std::array<Word, 512> words;
};

inline void fill(Word& token, Word value) {
  token = value;
}
inline void fill(Line& token, Word value) {
  for (std::size_t i = 0; i < token.words.size(); ++i) token.words[i] = value + i;
}

inline void fill(Page& token, Word value) {
  for (std::size_t i = 0; i < token.words.size(); ++i) token.words[i] = value + i;
}

/// The work of a stage: 3 x + 1 on every word.
inline void map(const Word& from, Word& to) {
  to = 3 * from + 1;
}
inline void map(const Line& from, Line& to) {
  Line mapped;
  for (std::size_t i = 0; i < to.words.size(); ++i) map(from.words[i], mapped.words[i]);
  to = mapped;
}

inline void map(const Page& from, Page& to) {
  for (std::size_t i = 0; i < to.words.size(); ++i) map(from.words[i], to.words[i]);
}

inline Word total(const Word& token) {
  return token;
}
inline Word total(const Line& token) {
  Word sum = 0;
  for (const Word word : token.words) sum += word;
  return sum;
}

inline Word total(const Page& token) {
  Word sum = 0;
  for (const Word word : token.words) sum += word;
  return sum;
}

/// What the sink finds behind that many stages, token for token.
template <class Token>
Word expected_sum(int stages, Word tokens) {
  Word sum = 0;
  for (Word i = 0; i < tokens; ++i) {
    Token token;
    fill(token, i);
    for (int stage = 0; stage < stages; ++stage) map(token, token);
    sum += total(token);
  }
  return sum;
}

template <class Token>
struct Source {
  Out<Token> out;
  Word count = 0;
  Word next = 0;

  void step() { fill(out.slot(), next++); }
  bool done() const { return next == count; }
};

/// How a stage takes its tokens: waiting for one, or asking for one and trying again (stacc listing 1).
enum class Taking : std::uint8_t { read, pull };

template <Taking taking, class Token>
bool take(In<Token>& in, Token& token) {
  if constexpr (taking == Taking::pull) return in.pull(token);
  token = in.read();
  return true;
}

/// Larger tokens are read where they stand.
template <class Token>
constexpr bool large = sizeof(Token) > 2 * sizeof(Word);

template <class Token, Taking taking>
struct Stage {
  In<Token> in;
  Out<Token> out;

  void step() {
    if constexpr (large<Token>) {
      const Token& token = in.read_in_place();
      return map(token, out.slot());
    }
    Token token;
    if (take<taking>(in, token)) map(token, out.slot());
  }
};

template <class Token, Taking taking>
struct Sink {
  In<Token> in;
  Word sum = 0;

  void step() {
    if constexpr (large<Token>) {
      sum += total(in.read_in_place());
      return;
    }
    Token token;
    if (take<taking>(in, token)) sum += total(token);
  }
};

/// Hands one token round: counts a hop, passes it on. The first of the ring brings the token in.
struct RingActor {
  In<Word> in;
  Out<Word> out;
  bool first = false;
  Word laps = 0;
  Word hops = 0;

  void step() {
    if (first) out.push(hops + 1);
    hops = in.read();
    if (!first) out.push(hops + 1);
    --laps;
  }
  bool done() const { return laps == 0; }
};

/// How many blocks a board works on at once.
constexpr std::size_t kUnits = 5;

/// Gives each unit a block, waits for all and tells the next board, a round at a time.
struct BoardRank {
  std::array<Out<Word>, kUnits> work;
  std::array<In<Word>, kUnits> updated;
  Out<Word> next;
  In<Word> previous;
  Word rounds = 0;
  Word round = 0;
  Word first_block = 0;
  Word sum = 0;

  void step() {
    for (std::size_t unit = 0; unit < kUnits; ++unit) work[unit].push(first_block + round * kUnits + unit);
    for (auto& each : updated) sum += each.read();
    next.push(round);
    previous.read();
    ++round;
  }
  bool done() const { return round == rounds; }
};

/// Brings a block from memory.
struct BoardUpdater {
  In<Word> work;
  Out<Word> request;
  In<Word> reply;
  Out<Word> done;

  void step() {
    request.push(work.read());
    done.push(reply.read());
  }
};

/// Serves the units in turn.
struct BoardMemory {
  std::array<In<Word>, kUnits> requests;
  std::array<Out<Word>, kUnits> replies;
  RoundRobin turn;

  void step() {
    const auto unit = turn.next(requests);
    if (!unit) return;
    Word block = 0;
    requests[*unit].pull(block);
    map(block, replies[*unit].slot());
  }
};

/// A token at the start and one at the very end.
struct Seldom {
  Out<Word> out;
  Timer timer;
  Time end{};
  Word sent = 0;

  void step() {
    if (sent != 0) timer.wait_until(end);
    out.push(sent++);
  }
  bool done() const { return sent == 2; }
};

/// Serves many inputs in turn.
struct Switch {
  PortArray<In<Word>> in;
  Out<Word> out;
  RoundRobin turn;

  explicit Switch(int ports) : in(ports) {}
  void step() {
    const auto port = turn.next(in);
    if (!port) return;
    Word token = 0;
    in[*port].pull(token);
    out.push(token);
  }
};

}  // namespace isthmus::bench
