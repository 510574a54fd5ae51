import { pageReply } from '@ratchet/contracts/page'
import { listSegments, type Segment } from '@ratchet/contracts/segments'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { ExchangeKey, ExchangeReads, ReadScope } from '../exchanges/exchange-reads.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import type { SegmentTraffic, SegmentTrafficReads } from './segment-traffic.ts'
import { systemPromptOf } from './system-prompt-of.ts'

export interface SegmentRouteDeps {
  readonly exchanges: ExchangeReads
  readonly segments: SegmentTrafficReads
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

/** Characters of a system prompt that are returned as sample of a segment. */
const sampleLength = 500
const contentBatch = { bytesOf: ({ sizeBytes }: ExchangeKey) => sizeBytes, maxBytes: 1_000_000, maxItems: 200 }

/** Lists the segments of a workspace. */
export function segmentRoutes(router: Router, { exchanges, segments, workspaces, now }: SegmentRouteDeps): void {
  mount(router, listSegments, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const scope = { workspaceId, at: now() }
    const { data, total } = await segments.list({ ...scope, limit, offset })
    const samples = await samplesOf(exchanges, scope, data)
    const shown = data.map((each) => segmentOf(each, samples.get(each.segment) ?? null))
    return pageReply(shown, total, { limit, offset })
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

/** The beginning of the newest system prompt of each segment. Contents are read in small batches to save memory. */
async function samplesOf(
  reads: ExchangeReads,
  scope: Pick<ReadScope, 'workspaceId'>,
  traffic: readonly SegmentTraffic[],
): Promise<ReadonlyMap<string, string>> {
  const samples = new Map<string, string>()
  const newest = traffic.flatMap(({ segment, newest: key }) => (key === null ? [] : [{ ...key, segment }]))
  for (const batch of batchesBySize(newest, contentBatch)) {
    const contents = await reads.contents(scope, batch)
    for (const { id, segment } of batch) {
      const content = contents.get(id)
      const prompt = content === undefined ? '' : systemPromptOf(JSON.parse(content.messages))
      if (prompt !== '') samples.set(segment, prompt.slice(0, sampleLength))
    }
  }
  return samples
}
