#include "agents/catalogue/cuda/product_form.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

// Names that the new body needs for itself.
bool TakesOurNames(const DeviceKernel& kernel) {
  std::set<std::string> names = DeclaredNames(kernel.body);
  for (const Param& param : kernel.params) names.insert(param.name);
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "t" || name == "u" || name == "v" || name == "warp" ||
           name == "staged";
  });
}

bool GoesWith(const Expr& factor, const std::string& own,
              const std::string& other) {
  return AccessesIn(factor).size() == 1 && Mentions(factor, own) &&
         !Mentions(factor, other);
}

}  // namespace

std::optional<Product> ReadProduct(const DeviceKernel& kernel) {
  auto guarded = ReadPlane(kernel);
  if (!guarded || TakesOurNames(kernel) || guarded->body.size() < 3) {
    return std::nullopt;
  }
  Product product;
  product.row = guarded->Find('y')->name;
  product.column = guarded->Find('x')->name;
  product.rows = guarded->Find('y')->bound;
  product.columns = guarded->Find('x')->bound;
  product.sum = guarded->body[0];
  product.fold = guarded->body[1];
  product.rest.assign(guarded->body.begin() + 2, guarded->body.end());
  const Stmt& fold = product.fold;
  if (product.sum.kind != StmtKind::kDecl || product.sum.type != "float" ||
      !product.sum.init || fold.kind != StmtKind::kFor ||
      !CountsFromZero(fold) ||
      MentionsAny(fold.bound, {product.row, product.column}) ||
      fold.body.size() != 1 || fold.body[0].kind != StmtKind::kExpr ||
      ContainsLoop(product.rest)) {
    return std::nullopt;
  }
  for (const Stmt& stmt : guarded->prologue) {
    if (MentionsAny(*stmt.init, {product.row, product.column})) {
      return std::nullopt;
    }
  }
  const Expr& update = fold.body[0].expr;
  if (update.text != "+=" || !IsName(update.args[0], product.sum.name) ||
      update.args[1].kind != ExprKind::kBinary || update.args[1].text != "*") {
    return std::nullopt;
  }
  product.left = update.args[1].args[0];
  product.right = update.args[1].args[1];
  if (!GoesWith(product.left, product.row, product.column)) {
    std::swap(product.left, product.right);
  }
  if (!GoesWith(product.left, product.row, product.column) ||
      !GoesWith(product.right, product.column, product.row)) {
    return std::nullopt;
  }
  product.guarded = std::move(*guarded);
  return product;
}

std::optional<Expr> NarrowAccess(const Expr& factor) {
  const std::string called = CalledFunction(factor);
  if ((called != "__half2float" && called != "__bfloat162float") ||
      factor.args.size() != 2 || factor.args[1].kind != ExprKind::kIndex) {
    return std::nullopt;
  }
  return factor.args[1];
}

std::optional<TensorFactors> FactorsForTensorCores(const Product& product) {
  auto left = NarrowAccess(product.left);
  auto right = NarrowAccess(product.right);
  const std::string conversion = CalledFunction(product.left);
  if (!left || !right || CalledFunction(product.right) != conversion) {
    return std::nullopt;
  }
  return TensorFactors{
      std::move(*left), std::move(*right),
      conversion == "__half2float" ? "__half" : "__nv_bfloat16"};
}

std::string Epilogue(const Product& product, const std::string& value,
                     int indent) {
  Stmt sum = product.sum;
  const bool zero = *sum.init == Literal("0.0f");
  sum.init = zero ? Name(value) : Add(*sum.init, Name(value));
  StmtList body = {std::move(sum)};
  Append(body, product.rest);
  return Print(StmtList{MakeIf(product.guarded.guard, std::move(body))},
               indent);
}

DeviceOutcome WithLaunch(const DeviceSite& site, std::string body,
                         const Expr& rows, const Expr& columns, Expr threads) {
  const auto all_rows = ExtentOf(site.launch, 'y');
  const auto all_columns = ExtentOf(site.launch, 'x');
  if (!all_rows || !all_columns) {
    return NoReason("its grid does not follow from its block");
  }
  DeviceEdit edit;
  edit.body = std::move(body);
  edit.launch = site.launch;
  edit.launch->block = {std::move(threads)};
  edit.launch->grid[0] = CeilDiv(*all_columns, columns);
  edit.launch->grid[1] = CeilDiv(*all_rows, rows);
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
