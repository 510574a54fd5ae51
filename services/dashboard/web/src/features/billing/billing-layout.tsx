import { Outlet } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { RowsSkeleton } from '../../kit/states/skeletons.tsx'
import { pagesBelow, TabLinks } from '../../kit/tab-links.tsx'

const pages = [
  ['', 'Wallet'],
  ['/ledger', 'Ledger'],
  ['/usage', 'Usage'],
  ['/budgets', 'Budgets'],
  ['/statements', 'Statements'],
] as const

export function BillingLayout(): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <>
      <TabLinks label="Billing" pages={pagesBelow(`/w/${slug}/billing`, pages)} />
      <Suspense fallback={<RowsSkeleton />}>
        <Outlet />
      </Suspense>
    </>
  )
}
