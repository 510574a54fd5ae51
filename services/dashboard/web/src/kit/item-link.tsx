import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import { CopyText } from './copy-text.tsx'

interface LogLinkProps {
  readonly id: string
  /** The judge that a grade on that page is for. */
  readonly judgeId?: string
}

/** Large enough to be pressed with a finger where links stand under each other. */
const style = { display: 'inline-flex', alignItems: 'center', minHeight: 24, overflowWrap: 'anywhere' } as const

/** Opens an exchange in the logs. An imported item is in no log, so its id can only be copied. */
export function LogLink({ id, judgeId }: LogLinkProps): ReactNode {
  const slug = useWorkspaceSlug()
  if (!id.startsWith('log_')) return <CopyText text={id} label="Copy the id" />
  const search = { log: id, ...(judgeId === undefined ? {} : { judge: judgeId }) }
  return (
    <Anchor
      size="sm"
      style={style}
      renderRoot={(props) => <Link {...props} to="/w/$slug/logs" params={{ slug }} search={search} />}
    >
      {id}
    </Anchor>
  )
}

/** Opens a run in the traces. */
export function RunLink({ id, judgeId }: LogLinkProps): ReactNode {
  const slug = useWorkspaceSlug()
  const search = judgeId === undefined ? {} : { judge: judgeId }
  return (
    <Anchor
      size="sm"
      style={style}
      renderRoot={(props) => <Link {...props} to="/w/$slug/traces/$id" params={{ slug, id }} search={search} />}
    >
      {id}
    </Anchor>
  )
}
