/** The name of the measure from a grade to the next item on screen. */
const gradeToNext = 'grade-to-next'

/** Measures how long the next item takes to be painted after a grade, for the tools of browsers and for tests. */
export function markGrade(): void {
  const start = performance.now()
  requestAnimationFrame(() => {
    // A message comes after the paint of this frame.
    const channel = new MessageChannel()
    channel.port1.onmessage = () => performance.measure(gradeToNext, { start, end: performance.now() })
    channel.port2.postMessage(null)
  })
}
