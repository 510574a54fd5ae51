import { listSegments, type Segment } from '@ratchet/contracts/segments'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import type { ExchangeReads, ReadScope } from '../domain/exchange-reads.ts'
import { systemPromptOf } from '../domain/segments/system-prompt-of.ts'
import type { SegmentTraffic, WorkspaceReads } from '../domain/workspace-reads.ts'
import { requireLogging } from './require-logging.ts'

export interface SegmentRouteDeps {
  readonly exchanges: ExchangeReads
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

/** Characters of a system prompt that are shown of a segment. */
const sampleLength = 500

/** The families of system prompts that traffic falls into. */
export function segmentRoutes(router: Router, { exchanges, workspaces, now }: SegmentRouteDeps): void {
  mount(router, listSegments, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const scope = { workspaceId, at: now() }
    const all = await workspaces.segments(scope)
    const shown = all.slice(offset, offset + limit)
    const data = await Promise.all(shown.map((each) => segmentOf(exchanges, scope, each)))
    return { object: 'list' as const, data, total: all.length, limit, offset, has_more: all.length > offset + limit }
  })
}

async function segmentOf(reads: ExchangeReads, scope: ReadScope, traffic: SegmentTraffic): Promise<Segment> {
  const { segment } = traffic
  return {
    segment,
    label: traffic.label ?? (segment === 'none' ? 'No system prompt' : segment),
    exchanges: traffic.exchanges,
    exact_variants: traffic.exactVariants,
    first_at: traffic.firstAt.toISOString(),
    last_at: traffic.lastAt.toISOString(),
    sample: await sampleOf(reads, scope, segment),
  }
}

async function sampleOf(reads: ExchangeReads, scope: ReadScope, segment: string): Promise<string | null> {
  const newest = await reads.page({ ...scope, filter: { segment }, limit: 1, offset: 0, after: null })
  const [content] = (await reads.contents(newest)).values()
  const prompt = content === undefined ? '' : systemPromptOf(JSON.parse(content.messages))
  return prompt === '' ? null : prompt.slice(0, sampleLength)
}
