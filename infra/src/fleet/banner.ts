import type { FleetInfo } from './fleet-file.ts'

export interface BannerOptions {
  readonly info: FleetInfo
  /** A model of an enabled provider. */
  readonly model: string
  readonly dataFolder: string
  readonly detached: boolean
}

/** The text that a person needs after a start: address, key, and one command that works. */
export function banner({ info, model, dataFolder, detached }: BannerOptions): string {
  const rows: [string, string | null][] = [
    ['API', `${info.base_url}/v1`],
    ['Dashboard', info.dashboard_url],
    ['Docs', `${info.base_url}/docs`],
    ['Key', info.api_key],
    ['Models', info.simulated_provider_url === null ? 'from your providers' : 'simulated (no provider key is set)'],
    ['Data, logs', `${dataFolder}, ${dataFolder}/logs`],
    ['Stop', detached ? 'npm stop' : 'Ctrl-C'],
  ]
  const table = rows.flatMap(([label, value]) => (value === null ? [] : [`  ${label.padEnd(11)} ${value}`]))
  return ['', '  Ratchet is running.', '', ...table, '', '  Try it:', '', curl(info, model), ''].join('\n')
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
