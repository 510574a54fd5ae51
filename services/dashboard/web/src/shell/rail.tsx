import { UnstyledButton } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import type { RailEntry } from '../app/feature.ts'
import { Icon } from '../kit/icon.tsx'
import { LateMenu } from '../kit/late-menu.tsx'
import type { MenuButtonProps } from '../kit/menu-part.ts'
import { addressOfEntry, isExactEntry, railEntriesOf } from './rail-entries.ts'
import styles from './shell.module.css'
import { useFeatures } from './use-features.ts'

/** How many entries the bar of a phone shows; the others are in its menu. */
const phoneEntries = 4

/** The pages of the workspace: at the left, or at the bottom of a phone. */
export function Rail(): ReactNode {
  const entries = railEntriesOf(useFeatures())
  return (
    <nav className={styles.rail} aria-label="Pages">
      <ul className={styles.list}>
        {entries.map((entry, index) => (
          <li key={entry.path} className={index >= phoneEntries ? styles.extra : undefined}>
            <RailLink entry={entry} isExact={isExactEntry(entry, entries)} />
          </li>
        ))}
        {entries.length > phoneEntries && (
          <li className={styles.more}>
            <MoreMenu entries={entries.slice(phoneEntries)} />
          </li>
        )}
      </ul>
    </nav>
  )
}

interface RailLinkProps {
  readonly entry: RailEntry
  /** Its own address only is marked, not the pages below it. */
  readonly isExact: boolean
}

function RailLink({ entry, isExact }: RailLinkProps): ReactNode {
  const { label, icon, Badge } = entry
  const slug = useWorkspaceSlug()
  return (
    <Link
      to={addressOfEntry(entry, slug)}
      activeOptions={{ exact: isExact, includeSearch: false }}
      className={styles.entry}
    >
      <Icon name={icon} size={18} />
      <span className={styles.word}>{label}</span>
      {Badge && (
        <span className={styles.badge}>
          <Badge />
        </span>
      )}
    </Link>
  )
}

function MoreMenu({ entries }: { readonly entries: readonly RailEntry[] }): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  return (
    <LateMenu
      position="top-end"
      Button={MoreButton}
      parts={entries.map((entry) => ({
        kind: 'item',
        label: entry.label,
        icon: entry.icon,
        run: () => void navigate({ to: addressOfEntry(entry, slug) }),
      }))}
    />
  )
}

function MoreButton(props: MenuButtonProps): ReactNode {
  return (
    <UnstyledButton {...props} className={styles.entry}>
      <Icon name="more" size={18} />
      <span className={styles.word}>More</span>
    </UnstyledButton>
  )
}
