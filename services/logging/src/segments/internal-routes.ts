import { findSegment } from '@ratchet/contracts/internal-logs'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { Router } from 'express'
import { type FindSegmentDeps, findSegment as findSegmentOf } from './find-segment.ts'

/** Finds segments for inference, which routes by them. */
export function findSegmentRoutes(router: Router, deps: FindSegmentDeps): void {
  mountJson(router, findSegment, async ({ body: { messages }, identity: { workspaceId } }) => {
    const { familyId, isFinal } = await findSegmentOf(deps, { workspaceId, messages })
    return { reply: { segment: familyId, is_final: isFinal } }
  })
}
