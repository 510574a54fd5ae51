/**
 * At most `max` whole numbers from `first` to `last`, both included, at equal distances on a logarithmic scale that begins
 * at `first`: early evaluations change much, late ones little.
 */
export function spacedLooks({ first, last }: LookRange, max: number): readonly number[] {
  const size = last - first + 1
  if (size <= max) return Array.from({ length: size }, (_, index) => first + index)
  if (max < 2) return [last]
  const places = Array.from({ length: max }, (_, index) => Math.round(size ** (index / (max - 1))))
  return [...new Set(places)].map((place) => first + place - 1)
}

export interface LookRange {
  readonly first: number
  readonly last: number
}
