// The one counter through which every rewrite goes, and the decision records.
#include <algorithm>

#include "passes/pass.h"

namespace planish::passes {
namespace {

std::string identity(std::string_view pass, std::string_view node, std::string_view text) {
  return fmt::format("{}\n{}\n{}", pass, node, text);
}

}  // namespace

bool Context::fire(const ir::Node& node, std::string what) {
  std::string name = scope + node.name;
  std::string key = identity(pass, name, what);
  if (refused_.contains(key)) return false;
  const uint64_t number = ++asked_;
  const bool over = number > bisect_limit;
  const bool refused = over || std::ranges::find(left_out, number) != left_out.end();
  if (refused) {
    what += over ? " (not done: above the limit of rewrites)" : " (not done: left out on request)";
    refused_.insert(std::move(key));
  } else {
    ++fired;
  }
  decisions.push_back(
      {number, std::string(pass), !refused, std::move(name), node.provenance, std::move(what)});
  return !refused;
}

void Context::near_miss(const ir::Node& node, std::string why) {
  std::string name = scope + node.name;
  if (!missed_.insert(identity(pass, name, why)).second) return;
  decisions.push_back(
      {0, std::string(pass), false, std::move(name), node.provenance, std::move(why)});
}

void Context::start_pass(std::string_view name) {
  pass = name;
  missed_.clear();
  std::erase_if(decisions, [&](const Decision& d) { return d.sequence == 0 && d.pass == name; });
}

}  // namespace planish::passes
