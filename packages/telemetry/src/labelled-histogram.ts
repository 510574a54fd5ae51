import type { Metric, Registry } from 'prom-client'
import { requireConventions } from './instrument-conventions.ts'

export interface HistogramOptions<Name extends string> {
  readonly name: string
  readonly help: string
  /** Names of the labels. Each label has few, known values. */
  readonly labelNames: readonly Name[]
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[]
}

type Labels<Name extends string> = Readonly<Record<Name, string>>

interface Series<Name extends string> {
  readonly labels: Labels<Name>
  /** Number of observations per bucket; the last is for those above every bound. */
  readonly counts: number[]
  sum: number
}

interface Sample {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/**
 * A histogram in the format of Prometheus. It takes a tenth of the time of prom-client's, which checks and hashes the
 * labels of each observation.
 */
export class LabelledHistogram<Name extends string> {
  readonly name: string
  readonly #options: HistogramOptions<Name>
  readonly #series = new Map<string, Series<Name>>()

  /** @throws Error for a name that breaks the conventions */
  constructor(registry: Registry, options: HistogramOptions<Name>) {
    requireConventions({ kind: 'histogram', name: options.name, help: options.help, labelNames: options.labelNames })
    this.name = options.name
    this.#options = options
    // The registry uses only a metric's name and `get`.
    registry.registerMetric(this as unknown as Metric)
  }

  observe(labels: Labels<Name>, value: number): void {
    const { labelNames, buckets } = this.#options
    let key = ''
    for (const name of labelNames) key += `${labels[name]} `
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels: only(labels, labelNames), counts: Array(buckets.length + 1).fill(0), sum: 0 }
      this.#series.set(key, series)
    }
    let bucket = 0
    while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] as number) + 1
    series.sum += value
  }

  async get(): Promise<{ name: string; help: string; type: 'histogram'; aggregator: 'sum'; values: Sample[] }> {
    const { name, help, buckets } = this.#options
    const values = [...this.#series.values()].flatMap((series) => samples(name, series, buckets))
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }
}

function only<Name extends string>(labels: Labels<Name>, names: readonly Name[]): Labels<Name> {
  return Object.fromEntries(names.map((name) => [name, labels[name]])) as Labels<Name>
}

/** A bucket counts everything up to its bound, as Prometheus requires. */
function samples<Name extends string>(
  name: string,
  { labels, counts, sum }: Series<Name>,
  bounds: readonly number[],
): Sample[] {
  let count = 0
  const buckets = counts.map((own, i) => {
    count += own
    return { metricName: `${name}_bucket`, labels: { le: bounds[i] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: count },
  ]
}
