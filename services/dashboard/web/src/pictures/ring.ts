/** Points on a circle, the first at the top, clockwise. */
export function ringPoints(count: number, radius: number): readonly { readonly x: number; readonly y: number }[] {
  return Array.from({ length: count }, (_, index) => {
    const angle = (index / count) * 2 * Math.PI - Math.PI / 2
    return { x: round(radius * Math.cos(angle)), y: round(radius * Math.sin(angle)) }
  })
}

/** The arc of a circle from one point to the next, as a path, shortened at both ends by `gap` radians. */
export function ringArc(index: number, count: number, radius: number, gap: number): string {
  const angleOf = (at: number) => (at / count) * 2 * Math.PI - Math.PI / 2
  const at = (angle: number) => `${round(radius * Math.cos(angle))} ${round(radius * Math.sin(angle))}`
  return `M${at(angleOf(index) + gap)}A${radius} ${radius} 0 0 1 ${at(angleOf(index + 1) - gap)}`
}

function round(value: number): number {
  return Math.round(value * 100) / 100 + 0
}
