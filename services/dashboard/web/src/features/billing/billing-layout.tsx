import { Link, Outlet } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { RowsSkeleton } from '../../kit/states/skeletons.tsx'
import { TabLinks, tabClass } from '../../kit/tab-links.tsx'

const pages = [
  ['/w/$slug/billing', 'Wallet'],
  ['/w/$slug/billing/ledger', 'Ledger'],
  ['/w/$slug/billing/usage', 'Usage'],
  ['/w/$slug/billing/statements', 'Statements'],
] as const

export function BillingLayout(): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <>
      <TabLinks label="Billing">
        {pages.map(([to, label]) => (
          <Link
            key={to}
            to={to}
            params={{ slug }}
            activeOptions={{ exact: true, includeSearch: false }}
            className={tabClass}
          >
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
