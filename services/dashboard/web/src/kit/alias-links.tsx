import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useWorkspaceSlug } from '../api/use-slug.ts'

/** Names of aliases, each with a link to its page. */
export function AliasLinks({ names }: { readonly names: readonly string[] }): ReactNode {
  const slug = useWorkspaceSlug()
  return names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      <Link to="/w/$slug/aliases/$name" params={{ slug, name }}>
        {name}
      </Link>
    </Fragment>
  ))
}
