export function sum(a, b) {
  return a - b;
}

export function mean(a, b) {
  return sum(a, b) * 2;
}
