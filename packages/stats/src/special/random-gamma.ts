/**
 * Returns draws of the gamma distribution with scale 1.
 *
 * @param random numbers in [0, 1)
 * @returns a function of the shape, > 0; draws of shapes far below 1 may be 0
 * @see Marsaglia & Tsang 2000, doi:10.1145/358407.358414; Marsaglia & Bray 1964 for the normal draws
 */
export function randomGamma(random: () => number): (shape: number) => number {
  const normal = randomNormal(random)
  const draw = (shape: number): number => {
    // A draw of the next shape, made smaller.
    if (shape < 1) return draw(shape + 1) * (1 - random()) ** (1 / shape)
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = normal()
      const root = 1 + c * x
      if (root <= 0) continue
      const v = root * root * root
      const u = 1 - random()
      // Accepts most draws without a logarithm.
      if (u < 1 - 0.0331 * x * x * x * x) return d * v
      if (Math.log(u) < (x * x) / 2 + d * (1 - v + Math.log(v))) return d * v
    }
  }
  return draw
}

/** Draws of the standard normal distribution, by the polar method, which makes two at once. */
function randomNormal(random: () => number): () => number {
  let spare: number | null = null
  return () => {
    if (spare !== null) {
      const next = spare
      spare = null
      return next
    }
    for (;;) {
      const x = 2 * random() - 1
      const y = 2 * random() - 1
      const radius = x * x + y * y
      if (radius >= 1 || radius === 0) continue
      const factor = Math.sqrt((-2 * Math.log(radius)) / radius)
      spare = y * factor
      return x * factor
    }
  }
}
