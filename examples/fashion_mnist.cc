// The main job on a real model, through the C interface alone: classify Fashion-MNIST's test images
// with a plan and say how well and how fast.
//
//   fashion_mnist PLAN REFERENCE_PLAN IMAGES.gz LABELS.gz [LOGITS]
//
// REFERENCE_PLAN is the same model unoptimised on the reference provider; the first 500 images go
// through both. LOGITS: where to write the float32 logits of all images, for other programs.
#include <planish/planish.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kSide = 28;
constexpr int kPixels = kSide * kSide;
constexpr int kClasses = 10;
const char* const kNames[kClasses] = {"T-shirt/top", "trouser", "pullover", "dress", "coat",
                                      "sandal",      "shirt",   "sneaker",  "bag",   "ankle boot"};

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "fashion_mnist: %s\n", what.c_str());
  std::exit(1);
}

void check(planish_status status) {
  if (status != PLANISH_OK) die(planish_last_error());
}

// An IDX file (big-endian header: magic, count, dims) of bytes, gzipped.
std::vector<unsigned char> read_idx(const char* path, int header, int item) {
  const gzFile file = gzopen(path, "rb");
  if (file == nullptr) die(std::string(path) + " cannot be opened");
  std::vector<unsigned char> head(static_cast<size_t>(header));
  if (gzread(file, head.data(), static_cast<unsigned>(header)) != header)
    die(std::string(path) + " is cut short");
  const unsigned count = static_cast<unsigned>(head[4]) << 24 |
                         static_cast<unsigned>(head[5]) << 16 |
                         static_cast<unsigned>(head[6]) << 8 | head[7];
  if (count > 100000) die(std::string(path) + " is no test set");
  std::vector<unsigned char> data(static_cast<size_t>(count) * static_cast<size_t>(item));
  if (gzread(file, data.data(), static_cast<unsigned>(data.size())) !=
      static_cast<int>(data.size()))
    die(std::string(path) + " is cut short");
  gzclose(file);
  return data;
}

class Classifier {
 public:
  explicit Classifier(const char* path) {
    check(planish_open(path, nullptr, &plan_));
    check(planish_context_create(plan_, &context_));
  }
  ~Classifier() {
    planish_context_destroy(context_);
    planish_close(plan_);
  }
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;

  // `count` images of bytes; the logits are valid until the next call.
  const float* run(const unsigned char* images, int count) {
    pixels_.resize(static_cast<size_t>(count) * kPixels);
    for (size_t i = 0; i < pixels_.size(); ++i) pixels_[i] = static_cast<float>(images[i]) / 255.0f;
    const int64_t dims[4] = {count, 1, kSide, kSide};
    const planish_tensor x = {PLANISH_FLOAT32, 4, dims, pixels_.data(),
                              pixels_.size() * sizeof(float)};
    check(planish_set_tensor(context_, 0, &x));
    check(planish_run(context_));
    planish_tensor y;
    check(planish_output_tensor(context_, 0, &y));
    return static_cast<const float*>(y.data);
  }
  int threads() const { return planish_threads(plan_); }

 private:
  planish_plan* plan_ = nullptr;
  planish_context* context_ = nullptr;
  std::vector<float> pixels_;
};

int best(const float* logits) {
  return static_cast<int>(std::max_element(logits, logits + kClasses) - logits);
}

// Two pixels a character cell: the upper half block in grey on grey.
void draw(const unsigned char* image, const std::string& caption) {
  for (int y = 0; y < kSide; y += 2) {
    std::printf("    ");
    for (int x = 0; x < kSide; ++x) {
      const int top = 232 + image[y * kSide + x] * 23 / 255;
      const int bottom = 232 + image[(y + 1) * kSide + x] * 23 / 255;
      std::printf("\033[38;5;%dm\033[48;5;%dm▀", top, bottom);
    }
    std::printf("\033[0m%s\n", y == kSide / 2 ? ("   " + caption).c_str() : "");
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) die("usage: fashion_mnist PLAN REFERENCE_PLAN IMAGES.gz LABELS.gz [LOGITS]");
  const auto images = read_idx(argv[3], 16, kPixels);
  const auto labels = read_idx(argv[4], 8, 1);
  const int count = static_cast<int>(labels.size());
  if (images.size() != labels.size() * kPixels) die("images and labels differ in number");

  Classifier plan(argv[1]);
  using Clock = std::chrono::steady_clock;
  std::vector<double> ms;
  std::vector<float> logits(static_cast<size_t>(count) * kClasses);
  std::vector<int> guesses;
  int right = 0;
  for (int i = 0; i < 50; ++i) plan.run(images.data(), 1);  // warm caches and clocks
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    const float* row = plan.run(&images[static_cast<size_t>(i) * kPixels], 1);
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    std::copy_n(row, kClasses, &logits[static_cast<size_t>(i) * kClasses]);
    guesses.push_back(best(row));
    right += guesses.back() == labels[static_cast<size_t>(i)] ? 1 : 0;
  }
  std::sort(ms.begin(), ms.end());

  constexpr int kBatch = 50;
  const auto start = Clock::now();
  for (int i = 0; i + kBatch <= count; i += kBatch)
    plan.run(&images[static_cast<size_t>(i) * kPixels], kBatch);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();

  Classifier reference(argv[2]);
  const int checked = std::min(count, 500);
  int agree = 0;
  double worst = 0;
  double largest = 0;
  for (int i = 0; i < checked; i += kBatch) {
    const float* rows = reference.run(&images[static_cast<size_t>(i) * kPixels], kBatch);
    for (int n = 0; n < kBatch; ++n) {
      const float* mine = &logits[static_cast<size_t>(i + n) * kClasses];
      agree += best(rows + n * kClasses) == best(mine) ? 1 : 0;
      for (int c = 0; c < kClasses; ++c) {
        worst = std::max(worst, std::fabs(static_cast<double>(mine[c]) -
                                          static_cast<double>(rows[n * kClasses + c])));
        largest = std::max(largest, std::fabs(static_cast<double>(rows[n * kClasses + c])));
      }
    }
  }
  if (argc > 5) {
    std::FILE* out = std::fopen(argv[5], "wb");
    if (out == nullptr ||
        std::fwrite(logits.data(), sizeof(float), logits.size(), out) != logits.size() ||
        std::fclose(out) != 0) {
      die(std::string(argv[5]) + " cannot be written");
    }
  }

  const size_t n = ms.size();
  std::printf("  %-28s %.2f %% (%d of %d test images)\n", "top-1 accuracy", 100.0 * right / count,
              right, count);
  std::printf("  %-28s %d of %d, largest error %.2g of the largest\n",
              "agreement with the reference", agree, checked, worst / largest);
  std::printf("  %-28s median %.3f ms, p95 %.3f, p99 %.3f\n",
              ("latency, batch 1, " + std::to_string(plan.threads()) + " threads").c_str(),
              ms[n / 2], ms[n * 95 / 100], ms[n * 99 / 100]);
  std::printf("  %-28s %.0f images/s\n", "throughput, batch 50", count / seconds);
  if (isatty(STDOUT_FILENO) == 0) return agree == checked ? 0 : 1;  // no pictures into a pipe
  std::printf("\n");
  for (const int i : {0, 1, 2}) {
    const int guess = guesses[static_cast<size_t>(i)];
    const int truth = labels[static_cast<size_t>(i)];
    draw(&images[static_cast<size_t>(i) * kPixels],
         std::string(kNames[guess]) +
             (guess == truth ? "  (right)" : std::string("  (in truth ") + kNames[truth] + ")"));
  }
  return agree == checked ? 0 : 1;
}
