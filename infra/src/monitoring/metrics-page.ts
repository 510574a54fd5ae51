/** The labels of every metric, by its name in PromQL. */
export type ExposedMetrics = ReadonlyMap<string, ReadonlySet<string>>

/** Reads the metrics pages of processes. A metric without series has no labels yet. */
export function readMetricsPages(pages: readonly string[]): ExposedMetrics {
  const metrics = new Map<string, Set<string>>()
  const labelsOf = (name: string) => {
    const known = metrics.get(name) ?? new Set()
    metrics.set(name, known)
    return known
  }
  for (const line of pages.flatMap((page) => page.split('\n'))) {
    const declared = /^# TYPE (\S+) (\S+)$/.exec(line)
    if (declared !== null) for (const suffix of suffixes[declared[2] ?? ''] ?? ['']) labelsOf(`${declared[1]}${suffix}`)
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line)
    if (line.startsWith('#') || sample === null) continue
    const labels = labelsOf(sample[1] ?? '')
    for (const [, label = ''] of (sample[2] ?? '').matchAll(/([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g)) labels.add(label)
  }
  return metrics
}

/** The suffixes of a metric's name in PromQL, by its type. */
const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
}
