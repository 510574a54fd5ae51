/** A stored file. */
export interface StoredFile {
  /** UUID. */
  readonly id: string
  readonly workspaceId: string
  readonly filename: string
  readonly purpose: string
  readonly bytes: number
  readonly createdAt: Date
}

export interface NewFile extends Omit<StoredFile, 'bytes'> {
  /** Id of the user who uploaded it. */
  readonly createdBy: string
}

export interface FileKey {
  readonly workspaceId: string
  readonly id: string
}

export interface FileQuery {
  readonly workspaceId: string
  readonly purpose?: string | undefined
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** UUID of the last file of the previous page. */
  readonly after?: string | undefined
}
