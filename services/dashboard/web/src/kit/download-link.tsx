import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { addressOf } from '../api/address.ts'
import { useWorkspaceSlug } from '../api/use-slug.ts'
import { stringifySearch } from '../app/search.ts'
import { Icon } from './icon.tsx'

interface DownloadLinkProps {
  /** Path of an endpoint with its parameters filled in, and perhaps a query. */
  readonly path: string
  readonly query?: Readonly<Record<string, unknown>>
  /** Name of the file; the endpoint's own when absent. */
  readonly file?: string
  readonly children: ReactNode
  /** What the file will contain, for the title. */
  readonly detail?: string
}

/** Saves the reply of an endpoint as a file, as it arrives. */
export function DownloadLink({ path, query = {}, file, children, detail }: DownloadLinkProps): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={14} />}
      component="a"
      href={`${addressOf(path, slug)}${stringifySearch(query)}`}
      download={file ?? true}
      title={detail}
    >
      {children}
    </Button>
  )
}
