import { trainingDataReaders } from '@ratchet/contracts/internal-training'
import { uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { JobStore } from './job-store.ts'

/** For the owner of datasets and files, which asks before it deletes one. */
export function readerRoutes(router: Router, { jobs }: { readonly jobs: Pick<JobStore, 'countReaders'> }): void {
  mount(router, trainingDataReaders, async ({ query: { source_id: id }, identity: { workspaceId } }) => {
    const sourceId = uuidOf('dataset', id) ?? uuidOf('file', id)
    return { jobs: sourceId === null ? 0 : await jobs.countReaders({ workspaceId, sourceId }) }
  })
}
