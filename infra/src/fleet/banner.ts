import type { FleetInfo } from './fleet-file.ts'
import { addressVariables, providerVariables } from './provider-variables.ts'

export interface BannerOptions {
  readonly info: FleetInfo
  /** A model of an enabled provider. */
  readonly model: string
  readonly dataFolder: string
  readonly detached: boolean
  /** The environment that the fleet was started with. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The text that a person needs after a start: addresses, key, sign-in, and one command that works. */
export function banner({ info, model, dataFolder, detached, env }: BannerOptions): string {
  const rows: [string, string | null][] = [
    ['API', `${info.base_url}/v1`],
    ['Dashboard', info.dashboard_url],
    ['Sign in', `${info.owner_email}, ${info.owner_password ?? 'with the password that you chose'}`],
    ['Docs', `${info.base_url}/docs`],
    ['Key', info.api_key],
    ['Voice', `${info.voice_base_url}/v1, key ${info.voice_api_key}`],
    ['Models', info.simulated_provider_url === null ? realModels(env) : 'simulated (no provider key is set)'],
    ['Catalog', catalogOf(env)],
    ['Data, logs', `${dataFolder}, ${dataFolder}/logs`],
    ['Stop', detached ? 'npm stop' : 'Ctrl-C'],
  ]
  const table = rows.flatMap(([label, value]) => (value === null ? [] : [`  ${label.padEnd(11)} ${value}`]))
  return ['', '  Ratchet is running.', '', ...table, '', '  Try it:', '', curl(info, model), ''].join('\n')
}

/** A key of the shell turns a demo into calls that are paid for, so the banner names the variable. */
function realModels(env: BannerOptions['env']): string {
  const set = [...providerVariables, ...addressVariables].filter((name) => (env[name] ?? '') !== '')
  return `real ones, which cost money: ${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set in this shell; sim/* does not exist`
}

function catalogOf({ CATALOG_DIR: folder = '' }: BannerOptions['env']): string | null {
  return folder === '' ? null : `with the entries of ${folder} (CATALOG_DIR)`
}

function curl(info: FleetInfo, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Why is the sky blue?' }] })
  return [
    `curl ${info.base_url}/v1/chat/completions \\`,
    `  -H 'Authorization: Bearer ${info.api_key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${body}'`,
  ].join('\n')
}
