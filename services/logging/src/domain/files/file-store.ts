/** A file as it is stored. */
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
  /** User. */
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
  /** UUID of the last file of the page before. */
  readonly after?: string | undefined
}

export interface FileStore {
  /** Begins a file that nobody sees yet; what others began long before and never finished is swept away. */
  begin(file: Omit<NewFile, 'purpose'>): Promise<void>
  append(fileId: string, position: number, content: Uint8Array): Promise<void>
  complete(fileId: string, end: { readonly bytes: number; readonly purpose: string; readonly at: Date }): Promise<void>
  get(key: FileKey): Promise<StoredFile | null>
  /** By age. */
  list(query: FileQuery): Promise<readonly StoredFile[]>
  /** The content of a file, piece by piece. */
  content(fileId: string): AsyncIterable<Uint8Array>
  /** Also one that is not complete yet. */
  delete(key: FileKey): Promise<boolean>
}
