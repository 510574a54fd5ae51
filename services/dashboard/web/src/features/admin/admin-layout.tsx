import { Anchor } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { useMe } from '../../api/me.ts'
import { Notice } from '../../kit/states/notice.tsx'
import { RowsSkeleton } from '../../kit/states/skeletons.tsx'
import { TabLinks } from '../../kit/tab-links.tsx'
import styles from './admin.module.css'

const pages = [
  ['/admin', 'Workspaces'],
  ['/admin/users', 'Users'],
  ['/admin/limits', 'Limits'],
  ['/admin/providers', 'Providers'],
  ['/admin/credits', 'Credits'],
  ['/admin/work', 'Work'],
  ['/admin/ledgers', 'Ledgers'],
] as const

/** For operators: the whole installation. */
export function AdminLayout(): ReactNode {
  const { user } = useMe()
  return (
    <main className={styles.admin}>
      <Anchor size="sm" className={styles.back ?? ''} renderRoot={(props) => <Link {...props} to="/" />}>
        Back to the workspace
      </Anchor>
      <TabLinks label="Administration" pages={pages} />
      {user?.operator === true ? (
        <Suspense fallback={<RowsSkeleton />}>
          <Outlet />
        </Suspense>
      ) : (
        <Notice state="none">Only operators of this installation see these pages.</Notice>
      )}
    </main>
  )
}
