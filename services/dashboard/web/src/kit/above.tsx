import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import styles from './above.module.css'

/** The way back from a page to what it belongs to: a link, above the title. */
export function Above({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <nav className={styles.above} aria-label="Part of">
      {children}
    </nav>
  )
}

const lists = {
  aliases: 'Aliases',
  datasets: 'Datasets',
  evals: 'Evals',
  'training/endpoints': 'Dedicated endpoints',
  'training/jobs': 'Training',
  'training/tools': 'Environment tools',
  'training/raft': 'RAFT',
  'training/runs': 'GRPO',
  'training/versions': 'Model versions',
  voice: 'Voice agents',
  'voice/calls': 'Calls',
} as const

/** The way back to a list of the workspace. */
export function AboveList({ of }: { readonly of: keyof typeof lists }): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Above>
      <Link to={`/w/$slug/${of}`} params={{ slug }} search={{}}>
        {lists[of]}
      </Link>
    </Above>
  )
}
