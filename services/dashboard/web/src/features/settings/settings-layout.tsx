import { Link, Outlet } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { RowsSkeleton } from '../../kit/states/skeletons.tsx'
import { TabLinks, tabClass } from '../../kit/tab-links.tsx'

const pages = [
  ['/w/$slug/settings/general', 'General'],
  ['/w/$slug/settings/logging', 'Logging'],
  ['/w/$slug/settings/keys', 'API keys'],
  ['/w/$slug/settings/provider-keys', 'Provider keys'],
  ['/w/$slug/settings/members', 'Members'],
  ['/w/$slug/settings/webhooks', 'Webhooks'],
  ['/w/$slug/settings/audit', 'Audit'],
] as const

export function SettingsLayout(): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <>
      <TabLinks label="Settings">
        {pages.map(([to, label]) => (
          <Link key={to} to={to} params={{ slug }} className={tabClass}>
            {label}
          </Link>
        ))}
      </TabLinks>
      <Suspense fallback={<RowsSkeleton />}>
        <Outlet />
      </Suspense>
    </>
  )
}
