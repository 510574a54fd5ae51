import { listSegments, type Segment } from '@ratchet/contracts/segments'
import { mount } from '@ratchet/service-kit/mount'
import type { Router } from 'express'
import { batchesBySize } from '../domain/batches-by-size.ts'
import type { ExchangeKey, ExchangeReads } from '../domain/exchange-reads.ts'
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
const contentBatch = { bytesOf: ({ sizeBytes }: ExchangeKey) => sizeBytes, maxBytes: 1_000_000, maxItems: 200 }

/** The families of system prompts that traffic falls into. */
export function segmentRoutes(router: Router, { exchanges, workspaces, now }: SegmentRouteDeps): void {
  mount(router, listSegments, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const { data, total } = await workspaces.segments({ workspaceId, at: now(), limit, offset })
    const samples = await samplesOf(exchanges, data)
    const shown = data.map((each) => segmentOf(each, samples.get(each.segment) ?? null))
    return { object: 'list' as const, data: shown, total, limit, offset, has_more: total > offset + limit }
  })
}

function segmentOf(traffic: SegmentTraffic, sample: string | null): Segment {
  const { segment } = traffic
  return {
    segment,
    label: traffic.label ?? (segment === 'none' ? 'No system prompt' : segment),
    exchanges: traffic.exchanges,
    exact_variants: traffic.exactVariants,
    first_at: traffic.firstAt.toISOString(),
    last_at: traffic.lastAt.toISOString(),
    sample,
  }
}

/** The beginnings of the newest system prompts, by segment, few contents in memory at a time. */
async function samplesOf(
  reads: ExchangeReads,
  traffic: readonly SegmentTraffic[],
): Promise<ReadonlyMap<string, string>> {
  const samples = new Map<string, string>()
  const newest = traffic.flatMap(({ segment, newest: key }) => (key === null ? [] : [{ ...key, segment }]))
  for (const batch of batchesBySize(newest, contentBatch)) {
    const contents = await reads.contents(batch)
    for (const { id, segment } of batch) {
      const content = contents.get(id)
      const prompt = content === undefined ? '' : systemPromptOf(JSON.parse(content.messages))
      if (prompt !== '') samples.set(segment, prompt.slice(0, sampleLength))
    }
  }
  return samples
}
