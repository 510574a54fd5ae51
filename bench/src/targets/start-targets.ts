import type { Terminal } from '@ratchet/infra/terminal/terminal'
import { startFleetTarget } from './fleet-target.ts'
import { startDirect, startOneHop, startTwoHops } from './hop-targets.ts'
import { startLitellm } from './litellm-target.ts'
import { startNginx } from './nginx-target.ts'
import { startPortkey } from './portkey-target.ts'
import type { ProcessGroup } from './process-group.ts'
import type { Target, TargetId } from './target.ts'

export interface StartTargetsOptions {
  readonly group: ProcessGroup
  readonly terminal: Terminal
  readonly folder: string
  /** Names of the targets. The upstream is always started. */
  readonly requested: readonly TargetId[]
  /** Folder in which the processes of the fleet write CPU profiles. */
  readonly profile?: string
  /** Is called with remarks for the reader of the figures. */
  readonly note: (text: string) => void
}

/** Starts all targets, the upstream first. All stay up and idle while one is measured. */
export async function startTargets(options: StartTargetsOptions): Promise<Target[]> {
  const { group, terminal, folder, requested, profile, note } = options
  const direct = await terminal.step('scripted upstream', () => startDirect(group))
  const common = { upstreamUrl: direct.url, folder, say: note }
  const fleetOptions = profile === undefined ? common : { ...common, profile }
  const starts = [
    { id: 'nginx', title: 'nginx', start: () => startNginx(group, common) },
    { id: 'one-hop', title: 'one bare Node hop', start: () => startOneHop(group, direct.url) },
    { id: 'two-hops', title: 'two bare Node hops', start: () => startTwoHops(group, direct.url) },
    { id: 'portkey', title: 'Portkey', start: () => startPortkey(group, common) },
    { id: 'litellm', title: 'LiteLLM', start: () => startLitellm(group, common) },
    { id: 'fleet', title: 'npm start', start: () => startFleetTarget(group, fleetOptions) },
  ] as const
  const targets = [direct]
  for (const { id, title, start } of starts) {
    const target = requested.includes(id) ? await terminal.step(title, start) : null
    if (target !== null) targets.push(target)
  }
  return targets
}
