import type { Terminal } from '@ratchet/infra/terminal'
import { startFleetTarget } from './fleet-target.ts'
import { startDirect, startOneHop, startTwoHops } from './hop-targets.ts'
import { startNginx } from './nginx-target.ts'
import type { ProcessGroup } from './process-group.ts'
import type { Target, TargetId } from './target.ts'

export interface StartTargetsOptions {
  readonly group: ProcessGroup
  readonly terminal: Terminal
  readonly folder: string
  /** The upstream is started even when it is not among them. */
  readonly requested: readonly TargetId[]
  /** Where the fleet's processes write CPU profiles. */
  readonly profile?: string
  /** Hears what a reader of the figures has to know. */
  readonly note: (text: string) => void
}

/** Starts everything that is compared, upstream first; all of it stays up, idle, while one is measured. */
export async function startTargets(options: StartTargetsOptions): Promise<Target[]> {
  const { group, terminal, folder, requested, profile, note } = options
  const direct = await terminal.step('scripted upstream', () => startDirect(group))
  const common = { upstreamUrl: direct.url, folder, say: note }
  const fleetOptions = profile === undefined ? common : { ...common, profile }
  const starts = [
    { id: 'nginx', title: 'nginx', start: () => startNginx(group, common) },
    { id: 'one-hop', title: 'one bare Node hop', start: () => startOneHop(group, direct.url) },
    { id: 'two-hops', title: 'two bare Node hops', start: () => startTwoHops(group, direct.url) },
    { id: 'fleet', title: 'Postgres, Redis and every service', start: () => startFleetTarget(group, fleetOptions) },
  ] as const
  const targets = [direct]
  for (const { id, title, start } of starts) {
    const target = requested.includes(id) ? await terminal.step(title, start) : null
    if (target !== null) targets.push(target)
  }
  return targets
}
