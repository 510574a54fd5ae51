import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './states.module.css'

/** Nothing for 150 ms, then grey bars in the places of the content. */
function Late({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className={styles.late} role="status" aria-busy="true" aria-label="Loading">
      {children}
    </div>
  )
}

export function PageSkeleton(): ReactNode {
  return (
    <Late>
      <Skeleton height={22} width={180} mb={20} />
      <RowsSkeleton />
    </Late>
  )
}

export function RowsSkeleton({ rows = 8 }: { readonly rows?: number }): ReactNode {
  return (
    <Late>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={20} mb={12} />
      ))}
    </Late>
  )
}
