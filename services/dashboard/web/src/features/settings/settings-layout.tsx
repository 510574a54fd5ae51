import { Outlet } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { RowsSkeleton } from '../../kit/states/skeletons.tsx'
import { pagesBelow, TabLinks } from '../../kit/tab-links.tsx'

const pages = [
  ['/general', 'General'],
  ['/logging', 'Logging'],
  ['/keys', 'API keys'],
  ['/provider-keys', 'Provider keys'],
  ['/members', 'Members'],
  ['/webhooks', 'Webhooks'],
  ['/audit', 'Audit'],
  ['/erasure', 'Erasure'],
] as const

export function SettingsLayout(): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <>
      <TabLinks label="Settings" pages={pagesBelow(`/w/${slug}/settings`, pages)} />
      <Suspense fallback={<RowsSkeleton />}>
        <Outlet />
      </Suspense>
    </>
  )
}
