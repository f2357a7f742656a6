// The yardstick of `differenzler bench`: whole deals played at random, in plain C++.
//
//   g++ -O3 -march=native -std=c++20 -o playout playout.cpp && ./playout 200000
//
// Step by step what the package's kernels do (engine/deal.py, kernels.py, play.py): the same record,
// the same generator, the same shuffle, the same tables, the same random choices. Prints, for the
// general rules and for a build that knows the plain game only, the cards played, a checksum that
// must equal that of the Python kernels, and the seconds of processor time.

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#ifdef __BMI2__
#include <immintrin.h>
#endif

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr i64 ALL_CARDS = (i64{1} << 36) - 1;
constexpr int NO_CARD = -1, NO_SEAT = -1, NO_BID = -1;
enum Phase : i8 { BID, PLAY, OVER };
enum Undertrump { ALWAYS, VOID, SCHIEBER };

struct Rules {
    i64 players = 4, tricks = 9, deals = 4, undertrump = VOID, turned_up = 0;
    i64 exact_bonus = 0, exact_bonus_on_zero = 0, stoeck = 0, revoke_penalty = 0;
    i64 num_cards = 36, num_trumps = 4;
    std::array<i8, 36> deck_cards{};
    std::array<i8, 4> trumps{0, 1, 2, 3};
};

struct State {
    u64 seed[2];
    u32 row, match;
    i32 deal;
    i32 penalties[5];
    i64 hands[5];
    i64 excluded[5];
    i8 trump, phase, current_seat, num_bids, num_played;
    i8 led_card, best_card, best_seat, on_table, trick_points;
    i16 bids[5], points[5];
    i8 order[36], leaders[19], revokes[5];
    i8 turned_up, dealer;
    i16 settled_bids[5], settled_points[5], settled_penalties[5];
};
static_assert(sizeof(State) <= 256);

// Tables. The last column (index 36) stands for "no card yet"; Python reaches it as -1.

constexpr int RANKS = 9, JACK = 5;
constexpr std::array<int, 9> SIDE_STRENGTH{0, 1, 2, 3, 4, 5, 6, 7, 8};   // 6 7 8 9 10 J Q K A
constexpr std::array<int, 9> TRUMP_STRENGTH{0, 1, 2, 7, 3, 8, 4, 5, 6};  // 9 is the second, J the first
constexpr std::array<int, 9> SIDE_POINTS{0, 0, 0, 0, 10, 2, 3, 4, 11};
constexpr std::array<int, 9> TRUMP_POINTS{0, 0, 0, 14, 10, 20, 3, 4, 11};

constexpr i64 suit_bits(int suit) { return i64{0x1FF} << (RANKS * suit); }

struct Tables {
    i64 takers[4][37], obliging[4][37], suit_led[37], suit[4];
    i8 points[4][36];
    constexpr Tables() : takers(), obliging(), suit_led(), suit(), points() {
        for (int trump = 0; trump < 4; ++trump) {
            suit[trump] = suit_bits(trump);
            for (int card = 0; card < 36; ++card) {
                const int s = card / RANKS, rank = card % RANKS;
                const auto& strength = s == trump ? TRUMP_STRENGTH : SIDE_STRENGTH;
                i64 higher = s == trump ? 0 : suit_bits(trump);
                for (int other = 0; other < RANKS; ++other)
                    if (strength[other] > strength[rank]) higher |= i64{1} << (RANKS * s + other);
                takers[trump][card] = higher;
                const i64 puur = s == trump ? i64{1} << (RANKS * s + JACK) : 0;
                obliging[trump][card] = suit_bits(s) & ~puur;
                suit_led[card] = suit_bits(s);
                points[trump][card] = static_cast<i8>((s == trump ? TRUMP_POINTS : SIDE_POINTS)[rank]);
            }
            takers[trump][36] = ALL_CARDS;
            obliging[trump][36] = 0;
        }
        suit_led[36] = ALL_CARDS;
    }
};
constexpr Tables TABLES{};

inline int column(int card) { return card < 0 ? 36 : card; }
inline bool holds(i64 cards, int card) { return cards >> card & 1; }

inline int nth_bit(i64 cards, int number) {
#ifdef __BMI2__
    return std::countr_zero(_pdep_u64(u64{1} << number, static_cast<u64>(cards)));
#else
    for (; number > 0; --number) cards &= cards - 1;
    return std::countr_zero(static_cast<u64>(cards));
#endif
}

// The generator: Threefry-4x64 with 20 rounds.

struct Words { u64 word[4]; };

constexpr int ROTATIONS[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37}, {25, 33}, {46, 12}, {58, 22}, {32, 32}};

inline void mix(u64& a, u64& b, int by) {
    a += b;
    b = std::rotl(b, by) ^ a;
}

inline Words threefry(const u64 (&key)[4], const u64 (&counter)[4]) {
    const u64 k[5] = {key[0], key[1], key[2], key[3],
                      u64{0x1BD11BDAA9FC1A22} ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
    u64 x[4] = {counter[0] + k[0], counter[1] + k[1], counter[2] + k[2], counter[3] + k[3]};
#pragma GCC unroll 20
    for (int round = 0; round < 20; ++round) {
        const auto& by = ROTATIONS[round % 8];
        mix(x[0], x[round % 2 == 0 ? 1 : 3], by[0]);
        mix(x[2], x[round % 2 == 0 ? 3 : 1], by[1]);
        if (round % 4 == 3) {
            const int injection = round / 4 + 1;
            for (int i = 0; i < 4; ++i) x[i] += k[(injection + i) % 5];
            x[3] += static_cast<u64>(injection);
        }
    }
    return {{x[0], x[1], x[2], x[3]}};
}

constexpr i64 BLOCKS = 8;
inline i64 below(i64 word, i64 n) { return word * n >> 32; }

// The course of a deal. PLAIN: compiled for four players and the plain rules, nothing else.

template <bool PLAIN>
struct Game {
    static i64 players(const Rules& rules) { return PLAIN ? 4 : rules.players; }
    static i64 undertrump(const Rules& rules) { return PLAIN ? i64{VOID} : rules.undertrump; }
    static i64 revoke_penalty(const Rules& rules) { return PLAIN ? 0 : rules.revoke_penalty; }
    static i64 stoeck(const Rules& rules) { return PLAIN ? 0 : rules.stoeck; }
    static i64 num_cards(const Rules& rules) { return PLAIN ? 36 : rules.num_cards; }
    static i64 tricks(const Rules& rules) { return PLAIN ? 9 : rules.tricks; }

    static void clear_table(State& state) {
        state.led_card = state.best_card = NO_CARD;
        state.best_seat = NO_SEAT;
        state.on_table = state.trick_points = 0;
    }

    static void clear_deal(State& state) {
        for (int seat = 0; seat < 5; ++seat) {
            state.hands[seat] = state.excluded[seat] = 0;
            state.bids[seat] = NO_BID;
            state.points[seat] = 0;
            state.revokes[seat] = 0;
        }
        for (auto& card : state.order) card = NO_CARD;
        for (auto& seat : state.leaders) seat = NO_SEAT;
        state.turned_up = NO_CARD;
        state.phase = BID;
        state.num_bids = state.num_played = 0;
        clear_table(state);
    }

    static void deal_cards(State& state, const Rules& rules, i64 dealer) {
        clear_deal(state);
        const i64 n = num_cards(rules), each = tricks(rules);
        i64 choices[8][BLOCKS], first_draws[BLOCKS], cards[36];
        const u64 key[4] = {state.seed[0], state.seed[1], state.row, state.match};
        for (i64 block = 0; block < BLOCKS; ++block) {
            const Words words = threefry(key, {static_cast<u64>(state.deal), 0, static_cast<u64>(block), 0});
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) {
                const i64 position = 8 * block + 2 * i;
                choices[2 * i][block] = below(static_cast<i64>(words.word[i] & 0xFFFFFFFF), position + 1);
                choices[2 * i + 1][block] = below(static_cast<i64>(words.word[i] >> 32), position + 2);
            }
            first_draws[block] = static_cast<i64>(words.word[0] & 0xFFFFFFFF);
        }
        for (i64 i = 0; i < n; ++i) cards[i] = rules.deck_cards[i];
        i64 position = n - 1;
        for (i64 seat = players(rules) - 1; seat >= 0; --seat) {
            i64 hand = 0;
            for (i64 i = 0; i < each; ++i) {
                const i64 chosen = choices[position & 7][position >> 3];
                const i64 card = cards[chosen];
                cards[chosen] = cards[position];
                cards[position] = card;
                hand |= i64{1} << card;
                --position;
            }
            state.hands[seat] = hand;
        }
        if (!PLAIN && rules.turned_up) {
            state.turned_up = static_cast<i8>(cards[dealer * each + each - 1]);
            state.trump = static_cast<i8>(state.turned_up / RANKS);
        } else {
            state.trump = rules.trumps[below(first_draws[0], rules.num_trumps)];
        }
        state.dealer = static_cast<i8>(dealer);
        state.current_seat = state.leaders[0] = static_cast<i8>((dealer + 1) % players(rules));
    }

    static void give_bid(State& state, const Rules& rules, int bid) {
        const i64 seat = state.current_seat;
        state.bids[seat] = static_cast<i16>(bid);
        if (++state.num_bids == players(rules)) state.phase = PLAY;
        state.current_seat = static_cast<i8>(seat + 1 == players(rules) ? 0 : seat + 1);
    }

    static i64 answers(int led, int best, int trump, i64 way) {
        const i64 takers = way == ALWAYS ? ALL_CARDS : TABLES.takers[trump][column(best)];
        return TABLES.suit_led[column(led)] | (TABLES.suit[trump] & takers);
    }

    static i64 legal_cards(i64 hand, int led, int best, int trump, i64 way) {
        const i64 following = hand & answers(led, best, trump, way);
        i64 otherwise = hand;
        if (way == SCHIEBER && (hand & ~TABLES.suit[trump]) != 0)
            otherwise = hand & (~TABLES.suit[trump] | TABLES.takers[trump][column(best)]);
        return (hand & TABLES.obliging[trump][column(led)]) != 0 ? following : otherwise;
    }

    static i64 shown_not_held(int card, int led, int best, int trump, i64 way) {
        i64 shown = TABLES.obliging[trump][column(led)];
        if (way == SCHIEBER && holds(TABLES.suit[trump], card)) shown = ALL_CARDS & ~TABLES.suit[trump];
        return holds(answers(led, best, trump, way), card) ? 0 : shown;
    }

    static i64 playable(const State& state, const Rules& rules) {
        if (state.phase != PLAY) return 0;
        const i64 hand = state.hands[state.current_seat];
        if (revoke_penalty(rules) > 0) return hand;
        return legal_cards(hand, state.led_card, state.best_card, state.trump, undertrump(rules));
    }

    static bool play_card(State& state, const Rules& rules, int card) {
        const i64 way = undertrump(rules);
        i64 seat = state.current_seat;
        const int trump = state.trump, led = state.led_card, best = state.best_card;
        i64 winner = state.best_seat;
        const int played = state.num_played + 1, on_table = state.on_table + 1;
        if (revoke_penalty(rules) == 0)
            state.excluded[seat] |= shown_not_held(card, led, best, trump, way);
        else if (!holds(legal_cards(state.hands[seat], led, best, trump, way), card))
            ++state.revokes[seat];
        const bool takes = holds(TABLES.takers[trump][column(best)], card);
        winner = takes ? seat : winner;
        int points = state.trick_points + TABLES.points[trump][card];
        state.hands[seat] &= ~(i64{1} << card);
        state.order[played - 1] = static_cast<i8>(card);
        state.num_played = static_cast<i8>(played);
        if (on_table < players(rules)) {
            ++seat;
            state.current_seat = static_cast<i8>(seat == players(rules) ? 0 : seat);
            state.led_card = static_cast<i8>(led == NO_CARD ? card : led);
            state.best_card = static_cast<i8>(takes ? card : best);
            state.best_seat = static_cast<i8>(winner);
            state.on_table = static_cast<i8>(on_table);
            state.trick_points = static_cast<i8>(points);
            return false;
        }
        const bool last = played == num_cards(rules);
        if (last) points += 5;
        state.points[winner] += static_cast<i16>(points);
        state.current_seat = static_cast<i8>(winner);
        state.leaders[played / players(rules)] = static_cast<i8>(winner);
        clear_table(state);
        return last;
    }

    static i64 plain_penalty(const Rules& rules, i64 bid, i64 points) {
        if (bid != points) return std::abs(bid - points);
        return !PLAIN && (bid > 0 || rules.exact_bonus_on_zero) ? -rules.exact_bonus : 0;
    }

    static i64 played_by(const State& state, const Rules& rules, i64 seat) {
        i64 cards = 0;
        for (i64 i = 0; i < state.num_played; ++i)
            if ((state.leaders[i / players(rules)] + i % players(rules)) % players(rules) == seat)
                cards |= i64{1} << state.order[i];
        return cards;
    }

    static void settle(State& state, const Rules& rules) {
        const i64 both = i64{3} << (RANKS * state.trump + JACK + 1);  // queen and king of trumps
        for (i64 seat = 0; seat < players(rules); ++seat) {
            const i64 bid = state.bids[seat], points = state.points[seat], extra = stoeck(rules);
            i64 penalty = plain_penalty(rules, bid, points);
            if (extra > 0 && (played_by(state, rules, seat) & both) == both) {
                penalty = std::min(penalty, plain_penalty(rules, bid, points - extra));
                penalty = std::min(penalty, plain_penalty(rules, bid, points + extra));
            }
            penalty += state.revokes[seat] * revoke_penalty(rules);
            state.settled_bids[seat] = static_cast<i16>(bid);
            state.settled_points[seat] = static_cast<i16>(points);
            state.settled_penalties[seat] = static_cast<i16>(penalty);
            state.penalties[seat] += static_cast<i32>(penalty);
        }
    }
};

template <bool PLAIN>
void run(const char* name, const Rules& rules, i64 deals) {
    using Kernels = Game<PLAIN>;
    State state{};
    state.seed[0] = 1;
    i64 plays = 0, checksum = 0, word = 12345;
    const std::clock_t started = std::clock();
    for (i64 deal = 0; deal < deals; ++deal) {
        state.deal = static_cast<i32>(deal);
        Kernels::deal_cards(state, rules, deal % rules.players);
        for (i64 i = 0; i < rules.players; ++i) Kernels::give_bid(state, rules, 39);
        bool last = false;
        while (!last) {
            const i64 cards = Kernels::playable(state, rules);
            word = (word * 1103515245 + 12345) & 0x7FFFFFFF;
            const i64 skip = (word >> 8) * std::popcount(static_cast<u64>(cards)) >> 23;
            last = Kernels::play_card(state, rules, nth_bit(cards, static_cast<int>(skip)));
            ++plays;
        }
        Kernels::settle(state, rules);
        checksum = (checksum * 31 + state.settled_penalties[deal % rules.players]) & 0x7FFFFFFF;
    }
    const double seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    std::printf("%s %lld %lld %.9f\n", name, static_cast<long long>(plays),
                static_cast<long long>(checksum), seconds);
}

int main(int count, char** arguments) {
    Rules rules;
    for (int card = 0; card < 36; ++card) rules.deck_cards[card] = static_cast<i8>(card);
    const i64 deals = count > 1 ? std::atoll(arguments[1]) : 200'000;
    // The compiler must not know which rules they are.
    if (count > 2) rules.players = std::atoll(arguments[2]);
    if (count > 3) rules.undertrump = std::atoll(arguments[3]);
    run<false>("general", rules, deals / 10);
    run<false>("general", rules, deals);
    run<true>("plain", rules, deals);
}
