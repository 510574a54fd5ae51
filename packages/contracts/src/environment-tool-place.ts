/** The encryption context of the secrets of a tool's version. They can be decrypted for no other version. */
export function environmentToolPlace({ workspaceId, id }: { workspaceId: string; id: string }): string[] {
  return ['environment tool', workspaceId, id]
}
