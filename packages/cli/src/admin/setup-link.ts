import { createSetUpLink } from '@ratchet/db/one-time-links'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { envValue } from '../cli-io.ts'
import { readFleetFile } from '../fleet-file.ts'
import { parseOrigin } from '../parse-options.ts'
import { type AdminCommands, type AdminDeps, newRow } from './admin-commands.ts'

interface Options {
  readonly origin?: string
}

export function setupLink({ admin, run }: AdminCommands): void {
  admin
    .command('setup-link')
    .description(
      'Print the link with which the first owner of an installation sets it up. It is valid once, for a day.',
    )
    .option('--origin <url>', 'where browsers open the dashboard; else DASHBOARD_ORIGIN', parseOrigin)
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { origin: given }: Options): Promise<Answer> {
  const origin = given ?? (await knownOrigin(deps))
  const token = Buffer.from(deps.randomBytes(32)).toString('base64url')
  const url = await createSetUpLink(deps.db, { ...newRow(deps), token, origin })
  return { json: { url }, text: url }
}

async function knownOrigin({ env, isOfLocalFleet }: AdminDeps): Promise<string> {
  const set = envValue(env, 'DASHBOARD_ORIGIN')
  if (set !== undefined) return originOf(set)
  const fleet = isOfLocalFleet ? await readFleetFile(env) : null
  if (fleet?.dashboard_url !== null && fleet?.dashboard_url !== undefined) return fleet.dashboard_url
  throw new CliError('--origin: say where browsers open the dashboard, such as https://ratchet.example.com', {
    exitCode: 2,
  })
}

/** @throws CliError for a variable that is no origin */
function originOf(value: string): string {
  try {
    return parseOrigin(value)
  } catch (cause) {
    throw new CliError(`DASHBOARD_ORIGIN: ${(cause as Error).message}`, { exitCode: 2, cause })
  }
}
