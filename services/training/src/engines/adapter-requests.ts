/** Names of adapters with requests in an engine. */
export interface AdapterRequests {
  readonly running: ReadonlySet<string>
  readonly waiting: ReadonlySet<string>
}

const metric = 'vllm:lora_requests_info'
/** A series of the metric: its labels, and the time at which they were true, unix seconds. */
const series = /^vllm:lora_requests_info\{([^}]*)\} ([0-9.e+]+)$/
const runningLabel = /running_lora_adapters="([^"]*)"/
const waitingLabel = /waiting_lora_adapters="([^"]*)"/

/**
 * Reads which adapters have requests from the metrics of vLLM. It writes a series for each set of names that there ever was;
 * the newest one is true.
 *
 * @param text in the format of Prometheus
 * @returns null when the metric is missing
 */
export function adapterRequestsOf(text: string): AdapterRequests | null {
  let newest: { readonly labels: string; readonly at: number } | null = null
  let isThere = false
  for (const line of text.split('\n')) {
    if (!line.includes(metric)) continue
    isThere = true
    const [, labels, value] = series.exec(line) ?? []
    const at = Number(value)
    if (labels !== undefined && (newest === null || at >= newest.at)) newest = { labels, at }
  }
  if (!isThere) return null
  const labels = newest?.labels ?? ''
  return { running: namesOf(runningLabel.exec(labels)), waiting: namesOf(waitingLabel.exec(labels)) }
}

function namesOf(found: RegExpExecArray | null): ReadonlySet<string> {
  return new Set((found?.[1] ?? '').split(',').filter((name) => name !== ''))
}
