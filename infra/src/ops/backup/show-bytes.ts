const everyBytes = 1_000_000_000

/** Returns a function that counts bytes and reports the sum after every gigabyte. */
export function byteWatch(say: (text: string) => void): (count: number) => void {
  let bytes = 0
  let nextAt = everyBytes
  return (count) => {
    bytes += count
    if (bytes < nextAt) return
    nextAt += everyBytes
    say(`${formatBytes(bytes)} so far`)
  }
}

/** `512 B`, `83 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [unit, size] = bytes < 1_000_000 ? ['KB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9]
  const value = bytes / size
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${unit}`
}
