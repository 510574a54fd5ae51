import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { type State, StateMark } from '../../kit/state-mark.tsx'
import { railEntriesOf } from '../../shell/rail-entries.ts'
import { useFeatures } from '../../shell/use-features.ts'

interface MarkedLineProps {
  readonly state: State
  readonly text: string
  /** Path below the workspace where it is handled, known by its entry in the rail. */
  readonly path: string
  /** What is open on that page. */
  readonly search?: Readonly<Record<string, string>> | undefined
  readonly children?: ReactNode
}

/** A line of a list with its state, and the way to its page. */
export function MarkedLine({ state, text, path, search, children }: MarkedLineProps): ReactNode {
  const slug = useWorkspaceSlug()
  const [entry = ''] = path.split('/')
  const exists = railEntriesOf(useFeatures()).some((each) => each.path === entry)
  return (
    <li>
      <StateMark state={state} size={14} />
      <span>
        {text}{' '}
        {exists && (
          <Anchor
            size="sm"
            td="underline"
            renderRoot={(props) => <Link {...props} to={`/w/${slug}/${path}`} search={search ?? {}} />}
          >
            Open
          </Anchor>
        )}{' '}
        {children}
      </span>
    </li>
  )
}
