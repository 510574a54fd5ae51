import { UnstyledButton } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useMe, useWorkspace } from '../api/me.ts'
import { useKeysOf } from '../keys/key-context.ts'
import { Icon } from '../kit/icon.tsx'
import { KeyCaps } from '../kit/key-caps.tsx'
import { LateMenu } from '../kit/late-menu.tsx'
import type { MenuButtonProps } from '../kit/menu-part.ts'
import { LiveDot } from './live-dot.tsx'
import { openPalette, usePaletteItems } from './palette-store.ts'
import styles from './shell.module.css'
import { useFeatures } from './use-features.ts'
import { UserMenu } from './user-menu.tsx'

export function TopBar(): ReactNode {
  const features = useFeatures()
  const { slug } = useWorkspace()
  return (
    <header className={styles.bar}>
      <Link to="/w/$slug" params={{ slug }} className={styles.brand} aria-label="Ratchet, home page of the workspace">
        <Logo />
        <span className={styles.brandWord}>Ratchet</span>
      </Link>
      <WorkspaceSwitch />
      <div className={styles.spring} />
      <SearchButton />
      <LiveDot />
      {features.map(({ TopBarPart }, index) => (TopBarPart ? <TopBarPart key={index} /> : null))}
      <UserMenu />
    </header>
  )
}

/** A ring with a gap: the loop that closes. */
export function Logo(): ReactNode {
  return (
    <svg width="20" height="20" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" fill="none" stroke="var(--accent)" strokeWidth="3" strokeDasharray="26 9" />
    </svg>
  )
}

function WorkspaceSwitch(): ReactNode {
  const { workspaces } = useMe()
  const { slug, name } = useWorkspace()
  const navigate = useNavigate()
  const others = useMemo(
    () =>
      workspaces
        .filter((each) => each.slug !== slug)
        .map((each) => ({
          id: `workspace:${each.slug}`,
          label: `Switch to ${each.name}`,
          group: 'Workspaces',
          run: () => void navigate({ to: '/w/$slug', params: { slug: each.slug } }),
        })),
    [workspaces, slug, navigate],
  )
  usePaletteItems(others)
  if (workspaces.length < 2) return <span className="dimmed">{name}</span>
  return (
    <LateMenu
      position="bottom-start"
      Button={WorkspaceButton}
      parts={workspaces.map((each) => ({
        kind: 'item',
        label: each.name,
        isChosen: each.slug === slug,
        run: () => void navigate({ to: '/w/$slug', params: { slug: each.slug } }),
      }))}
    />
  )
}

function WorkspaceButton(props: MenuButtonProps): ReactNode {
  const { name } = useWorkspace()
  return (
    <UnstyledButton
      {...props}
      aria-label={`Workspace ${name}. Switch`}
      p={4}
      style={{ display: 'flex', alignItems: 'center', gap: 4 }}
    >
      <span>{name}</span>
      <Icon name="down" size={14} />
    </UnstyledButton>
  )
}

function SearchButton(): ReactNode {
  const keys = useKeysOf('palette')
  return (
    <UnstyledButton className={styles.search} onClick={openPalette}>
      <Icon name="search" />
      <span className={styles.searchWord}>Search</span>
      {keys !== null && <KeyCaps keys={keys} />}
    </UnstyledButton>
  )
}
