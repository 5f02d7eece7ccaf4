// SPDX-License-Identifier: MIT
// What C++ has: exceptions through frames, RTTI, streams, containers, static and thread-local
// objects, threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>

struct Told {
	const char *name;
	explicit Told(const char *what) : name(what) { std::cout << "made " << name << '\n'; }
	~Told() { std::cout << "gone " << name << std::endl; }
};
static Told first("first"), second("second");

// ---- Exceptions ----

static std::atomic<unsigned> cleaned;
struct Cleaner {
	~Cleaner() { cleaned++; }
};
struct Odd : std::runtime_error {
	int depth;
	explicit Odd(int at) : std::runtime_error("odd at " + std::to_string(at)), depth(at) {}
};

__attribute__((noinline)) static int fall(int depth, int bottom)
{
	Cleaner cleaner;
	volatile double kept = depth * 0.5; // what registers and stack held is there on the way up

	if (depth == bottom)
		throw Odd(depth);
	int below = fall(depth + 1, bottom);
	return below + static_cast<int>(kept);
}

// libgcc's functions keep their numbers below the stack pointer where they may. How many are wrong.
__attribute__((noinline)) static unsigned wrong_numbers(unsigned from)
{
	unsigned wrong = 0;

	for (unsigned i = from; i < from + 100; i++) {
		volatile uint64_t high = i * 0x9e3779b97f4a7c15 >> 2, low = ~high;
		volatile long double two = 2;
		auto sum = static_cast<long double>((static_cast<__int128>(high) << 64) + low);
		auto half = std::complex<long double>(i, from) / std::complex<long double>(two, 0);

		wrong += sum != high * 0x1p64L + low;
		wrong += half != std::complex<long double>(i / 2.0L, from / 2.0L);
	}
	return wrong;
}

__attribute__((noinline)) static uint64_t throw_many(unsigned times)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < times; i++) {
		double before = std::sqrt(static_cast<double>(i));
		sum += wrong_numbers(i);
		try {
			sum += static_cast<unsigned>(fall(0, static_cast<int>(i % 17)));
		} catch (const Odd &odd) {
			sum += static_cast<unsigned>(odd.depth) * 3 + (before == std::sqrt(static_cast<double>(i)));
		}
	}
	return sum;
}

static void exceptions(unsigned times)
{
	uint64_t sum = throw_many(times);

	std::cout << "caught " << sum << " cleaned " << cleaned << '\n';
	try {
		try {
			std::vector<int>(3).at(7);
		} catch (const std::out_of_range &) {
			std::throw_with_nested(std::logic_error("outer"));
		}
	} catch (const std::exception &outer) {
		std::cout << outer.what();
		try {
			std::rethrow_if_nested(outer);
		} catch (const std::exception &inner) {
			std::cout << ", in it: " << inner.what() << '\n';
		}
	}
	try {
		throw 42;
	} catch (const char *) {
		std::cout << "wrong\n";
	} catch (int value) {
		std::cout << "an int " << value << ' ' << std::uncaught_exceptions() << '\n';
	}
}

// ---- Types ----

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};
struct Square : Shape {
	double side = 2;
	double area() const override { return side * side; }
};
struct Named {
	virtual ~Named() = default;
	std::string name = "named";
};
struct Both : Square, Named {};

static void types()
{
	std::unique_ptr<Shape> plain = std::make_unique<Square>(), both = std::make_unique<Both>();

	std::cout << typeid(*plain).name() << ' ' << typeid(*both).name() << ' ' << both->area() << ' '
	          << (dynamic_cast<Named *>(plain.get()) == nullptr) << ' '
	          << dynamic_cast<Named &>(*both).name << '\n';
	try {
		(void)dynamic_cast<Named &>(*plain);
	} catch (const std::bad_cast &bad) {
		std::cout << bad.what() << '\n';
	}
}

// ---- Library ----

static void library()
{
	std::map<std::string, int> count;
	std::istringstream words("the quick brown fox jumps over the lazy dog and the cat");
	std::unordered_map<int, std::string> hashed{{1, "one"}, {2, "two"}};
	std::variant<int, std::string> either = std::string("text");
	std::vector<double> numbers(1000);
	std::ostringstream text;

	for (std::string word; words >> word;)
		count[word]++;
	for (const auto &[word, times] : count)
		std::cout << word << '=' << times << ' ';
	std::iota(numbers.begin(), numbers.end(), -500);
	std::stable_sort(numbers.begin(), numbers.end(),
	                 [](double a, double b) { return std::fmod(a * 7919, 101) < std::fmod(b * 7919, 101); });
	text << std::hex << std::showbase << 48879 << std::dec << ' ' << std::setprecision(12) << numbers[500]
	     << ' ' << std::setw(20) << std::setfill('*') << std::fixed << 3.14159 << ' ' << 1.5L << ' ' << true;
	std::cout << '\n' << text.str() << ' ' << hashed.at(2) << ' ' << std::get<std::string>(either) << '\n';
	std::cout << std::stod("2.5e3") << ' ' << std::stoi("-77") << ' ' << std::to_string(0.25) << ' '
	          << std::round(2.5) << ' ' << std::cbrt(27.0) << ' ' << std::lround(-1.5) << ' '
	          << std::hypot(3.0, 4.0) << ' ' << std::abs(std::complex<double>(3, 4)) << '\n';
	std::cout << std::regex_replace(std::string("a1b22c"), std::regex("[0-9]+"), "<$&>") << '\n';
	std::ofstream("note.txt") << "line one\nline two\n";
	std::ifstream file("note.txt");
	for (std::string line; std::getline(file, line);)
		std::cout << '[' << line << ']';
	std::cout << std::ifstream("none").good() << '\n';
}

static void directories()
{
	namespace fs = std::filesystem;
	std::vector<std::string> found;

	fs::create_directories("made/in/side");
	std::ofstream("made/in/file") << "text";
	for (const auto &entry : fs::recursive_directory_iterator("made"))
		found.push_back(entry.path().string() + (entry.is_directory() ? "/" : ""));
	std::sort(found.begin(), found.end());
	for (const auto &path : found)
		std::cout << path << ' ';
	std::cout << fs::file_size("made/in/file") << ' ' << fs::remove_all("made") << fs::exists("made") << '\n';
}

// ---- Threads ----

static thread_local std::string own = "new";
static thread_local struct Counted {
	static std::atomic<int> gone;
	int value = 0;
	~Counted() { gone++; }
} counted;
std::atomic<int> Counted::gone;

static const std::string &once()
{
	static const std::string made = (std::cout << "made once\n", "once");
	return made;
}

static void threads(unsigned times)
{
	std::mutex mutex;
	std::condition_variable ready;
	unsigned turn = 0, caught = 0;
	uint64_t sum[2] = {};
	std::string seen;

	std::thread other([&] {
		sum[1] = throw_many(times);
		own += " in thread";
		counted.value = 1;
		once();
		std::unique_lock<std::mutex> lock(mutex);
		seen = own;
		turn = 1;
		ready.notify_one();
		ready.wait(lock, [&] { return turn == 2; });
	});
	sum[0] = throw_many(times);
	{
		std::unique_lock<std::mutex> lock(mutex);
		ready.wait(lock, [&] { return turn == 1; });
		turn = 2;
		ready.notify_one();
	}
	other.join();
	std::cout << once() << ' ' << own << ' ' << seen << ' ' << Counted::gone << ' ' << (sum[0] == sum[1]) << '\n';
	try {
		other.join();
	} catch (const std::system_error &error) {
		caught = error.code() == std::errc::invalid_argument;
	}
	std::cout << "join twice " << caught << ' '
	          << std::async(std::launch::async, [] { return 7; }).get() << '\n';
}

// ---- What takes time, under a name that is to be demangled ----

namespace primes {
template <typename Number> struct Sieve {
	std::vector<bool> crossed;
	explicit Sieve(Number limit) : crossed(limit) {}
	__attribute__((noinline)) Number count();
};

template <typename Number> Number Sieve<Number>::count()
{
	Number found = 0;

	for (Number i = 2; i < crossed.size(); i++) {
		if (crossed[i])
			continue;
		found++;
		for (Number j = i * 2; j < crossed.size(); j += i)
			crossed[j] = true;
	}
	return found;
}
} // namespace primes

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 1000;

	exceptions(times);
	types();
	library();
	directories();
	threads(times / 10);
	std::cerr << "on standard error" << std::endl;
	if (argc > 2) {
		std::cout << primes::Sieve<unsigned>(std::stoul(argv[2])).count() << std::endl;
		throw Odd(7);
	}
	return 6;
}
