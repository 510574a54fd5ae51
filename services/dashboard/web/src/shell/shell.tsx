import { Outlet } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { LiveProvider } from '../api/live-provider.tsx'
import { useMe } from '../api/me.ts'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import { PageSkeleton } from '../kit/states/skeletons.tsx'
import { CommonKeys } from './common-keys.tsx'
import { Lost } from './lost.tsx'
import { usePalette } from './palette-store.ts'
import { Rail } from './rail.tsx'
import styles from './shell.module.css'
import { ShellKeys } from './shell-keys.tsx'
import { StaleBar } from './stale-bar.tsx'
import { TopBar } from './top-bar.tsx'

/** The frame of every page of a workspace. */
export function Shell(): ReactNode {
  const slug = useWorkspaceSlug()
  const { workspaces } = useMe()
  if (!workspaces.some((each) => each.slug === slug)) return <Lost />
  return (
    <LiveProvider slug={slug} key={slug}>
      <ShellKeys>
        <div className={styles.shell}>
          <a className={styles.skip} href="#main">
            Skip to the page
          </a>
          <TopBar />
          <Rail />
          <main className={styles.main} id="main" tabIndex={-1}>
            <StaleBar />
            <Suspense fallback={<PageSkeleton />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
        <CommonKeys />
        <PaletteWhenOpened />
      </ShellKeys>
    </LiveProvider>
  )
}

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))

/** Most visits never open it. */
function PaletteWhenOpened(): ReactNode {
  const { opened } = usePalette()
  return opened > 0 ? (
    <Suspense>
      <Palette />
    </Suspense>
  ) : null
}
