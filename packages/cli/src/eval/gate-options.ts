import { gateChecks } from '@ratchet/contracts/eval-gate'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from '../cli-error.ts'

type CheckName = keyof typeof gateChecks
type Options = Readonly<Record<string, unknown>>

/** The query of a gate, each value as it was given. */
export type GateChoice = Readonly<Record<string, string>>

const placeholders: Readonly<Partial<Record<CheckName, string>>> = {
  min_savings_pct: 'percent',
  max_avg_latency_ms: 'ms',
  max_p95_latency_ms: 'ms',
  max_latency_ratio: 'ratio',
  min_samples: 'count',
  min_runs_clean_pct: 'percent',
  require_trust: 'trust',
}

/** Of checks whose names say to the API's readers what they are. */
const descriptions: Readonly<Partial<Record<CheckName, string>>> = {
  min_win_rate: 'Wins and half of the ties, of all judged samples; 0 to 1.',
  min_savings_pct: 'Of the cost of the baseline.',
  max_avg_latency_ms: 'Of the candidate.',
  max_p95_latency_ms: 'Of the candidate.',
  max_error_rate: 'Prompts that got no answer; 0 to 1.',
}

const names = Object.keys(gateChecks) as CheckName[]

/** A flag for each check that the API knows. */
const checkOptions: readonly { readonly name: CheckName; readonly options: readonly Option[] }[] = names.map(
  (name) => ({
    name,
    options: name === 'require_conclusive' ? switchOptions(name) : [valueOption(name)],
  }),
)

/** What Commander calls the flags of checks. */
export const checkAttributes: readonly string[] = checkOptions.flatMap(({ options: [option] }) =>
  option === undefined ? [] : [option.attributeName()],
)

/** Adds the flags of the checks, and the one that says which candidate they are of. */
export function addGateOptions(command: Command, candidateFlag: '--candidate' | '--gate-candidate'): void {
  const group = 'Checks of the gate:'
  for (const option of checkOptions.flatMap(({ options }) => options)) command.addOption(option.helpGroup(group))
  const description = 'whose checks they are, where the eval has several candidates'
  command.addOption(new Option(`${candidateFlag} <model>`, description).helpGroup(group))
}

/**
 * What the gate is to be asked; null when no flag of it was given.
 *
 * @throws CliError when flags were given and none of them asks for anything
 */
export function gateChoiceOf(options: Options): GateChoice | null {
  const checks = checkOptions.flatMap(({ name, options: [option] }) => {
    const value = option === undefined ? undefined : options[option.attributeName()]
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  const candidate = options.gateCandidate ?? (typeof options.candidate === 'string' ? options.candidate : undefined)
  if (checks.length === 0 && candidate === undefined) return null
  if (checks.every(([, value]) => value === 'false')) throw nothingAsked()
  return { ...(candidate === undefined ? {} : { candidate: String(candidate) }), ...Object.fromEntries(checks) }
}

export function nothingAsked(): CliError {
  return new CliError('ask for at least one check, such as --min-win-rate 0.55')
}

/**
 * Says before an eval is waited for, or paid for, that its gate could not be asked.
 *
 * @throws CliError which names the flag
 */
export function assertGateFits(
  { candidate }: GateChoice,
  models: readonly string[],
  flag: '--candidate' | '--gate-candidate',
): void {
  if (candidate === undefined && models.length > 1) {
    throw new CliError(`${flag}: the checks are of one candidate; say which of ${models.join(', ')}`)
  }
  if (candidate !== undefined && !models.includes(candidate)) {
    throw new CliError(`${flag}: ${candidate} is no candidate of this eval; it has ${models.join(', ')}`)
  }
}

function valueOption(name: CheckName): Option {
  const schema = gateChecks[name]
  const description = schema.unwrap().description ?? descriptions[name] ?? ''
  return new Option(`--${kebab(name)} <${placeholders[name] ?? 'rate'}>`, description).argParser((text) => {
    const result = schema.safeParse(text)
    if (!result.success) throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'This is no value of it.')
    return text
  })
}

/** With both of a pair, Commander leaves the value out where neither was given. */
function switchOptions(name: CheckName): readonly Option[] {
  return [
    new Option(`--${kebab(name)}`, 'The interval must not hold 0.5; so it is unless it is said not to be.'),
    new Option(`--no-${kebab(name)}`, 'The interval may hold 0.5.'),
  ]
}

function kebab(name: string): string {
  return name.replaceAll('_', '-')
}
