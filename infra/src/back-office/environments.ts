import { z } from 'zod'

/** The variable with the environments of all services of the back office, as JSON by name. */
export const environmentsVariable = 'BACK_OFFICE_ENVIRONMENTS'

type Environment = Readonly<Record<string, string | undefined>>

const Environments = z.record(z.string(), z.record(z.string(), z.string()))

/** The environments by service. @throws Error when the variable is missing or has another form */
export function readEnvironments(env: Environment): ReadonlyMap<string, Record<string, string>> {
  const text = env[environmentsVariable]
  if (text === undefined) throw new Error(`${environmentsVariable} is not set`)
  return new Map(Object.entries(Environments.parse(JSON.parse(text))))
}
