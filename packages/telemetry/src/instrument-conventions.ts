/** The definition of a counter, gauge or histogram. */
export interface Instrument {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[] | undefined
}

/**
 * Metrics of OpenTelemetry's semantic conventions, with their names in Prometheus' form. Dashboards of other products read
 * them, so they do not have our prefix.
 */
export const standardNames: ReadonlySet<string> = new Set([
  'http_server_request_duration_seconds',
  'gen_ai_client_operation_duration_seconds',
  'gen_ai_client_operation_time_to_first_chunk_seconds',
  'gen_ai_client_token_usage',
])

/** Labels that histograms, the registry or a scrape add, so that no metric may define them. */
const reservedLabels: ReadonlySet<string> = new Set([
  ...['le', 'quantile', 'service'],
  ...['job', 'instance', 'namespace', 'pod', 'container', 'endpoint'],
])

const foreignUnits =
  /_(?:ms|us|ns|millis|micros|nanos?|milliseconds|microseconds|nanoseconds|minutes|hours|days|k?i?b|mi?b|gi?b|kilobytes|megabytes|gigabytes|percent|percentage)(?:_|$)/
const durations = /_(?:age|delay|duration|elapsed|lag|latency|timeout)(?:_|$)/
/** Words that docs/vocabulary.md replaces, in the form that a metric's name would have. */
const replacedWords =
  /_(?:away|bells?|books|fates?|given_up|gone|kept|looks?|mishaps?|poison(?:ed)?|tells?|told|wanted)(?:_|$)/

/**
 * Checks an instrument against the conventions of Prometheus and our own (README.md lists them).
 *
 * @throws Error that names the instrument and each rule that it breaks
 */
export function requireConventions(instrument: Instrument): void {
  const problems = [...nameProblems(instrument), ...labelProblems(instrument), ...helpProblems(instrument)]
  if (problems.length > 0) throw new Error(`metric ${instrument.name}: ${problems.join('; ')}`)
}

function nameProblems({ kind, name }: Instrument): readonly string[] {
  if (standardNames.has(name)) return []
  const stem = name.replace(/_total$/, '')
  const rules: readonly (readonly [isBroken: boolean, rule: string])[] = [
    [!/^ratchet(?:_[a-z0-9]+)+$/.test(name), 'a name is in snake case and begins with ratchet_'],
    [kind === 'counter' && stem === name, 'a counter ends with _total'],
    [kind !== 'counter' && stem !== name, 'only a counter ends with _total'],
    [/_(?:bucket|count|created|info|sum)$/.test(stem), 'the last word is one that Prometheus adds by itself'],
    [foreignUnits.test(name), 'units are base units: seconds, bytes, ratio'],
    [/_(?:seconds|bytes|ratio)_/.test(stem), 'the unit is the last word, before _total'],
    [kind === 'histogram' && !/_(?:seconds|bytes|ratio)$/.test(name), 'a histogram ends with its unit'],
    [durations.test(name) && !stem.endsWith('_seconds'), 'a duration ends with _seconds'],
    [replacedWords.test(name), 'docs/vocabulary.md replaces a word of it'],
  ]
  return rules.filter(([isBroken]) => isBroken).map(([, rule]) => rule)
}

function labelProblems({ labelNames = [] }: Instrument): readonly string[] {
  return labelNames.flatMap((label) => {
    if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(label)) return [`label ${label} is not in snake case`]
    return reservedLabels.has(label) ? [`label ${label} is reserved`] : []
  })
}

function helpProblems({ help }: Instrument): readonly string[] {
  return /^[A-Z0-9`].*\.$/.test(help) ? [] : ['the help text is a sentence with a full stop']
}
