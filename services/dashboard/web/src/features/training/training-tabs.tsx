import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { pagesBelow, TabLinks } from '../../kit/tab-links.tsx'
import { WaitingRuns } from './runs/waiting-runs.tsx'

const pages = [
  ['/jobs', 'Jobs'],
  [
    '/runs',
    <>
      GRPO
      <WaitingRuns />
    </>,
  ],
  ['/raft', 'RAFT'],
  ['/tools', 'Tools'],
  ['/versions', 'Model versions'],
  ['/endpoints', 'Endpoints'],
] as const

/** The pages of training. */
export function TrainingTabs(): ReactNode {
  return <TabLinks label="Training" pages={pagesBelow(`/w/${useWorkspaceSlug()}/training`, pages)} isInside />
}
