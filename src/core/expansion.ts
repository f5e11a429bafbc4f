const REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

/**
 * Expands `$(NAME)` as Kubernetes does (`third_party/forked/golang/expansion`): a reference that `valueOf` does not know
 * stays as it is, `$$` becomes `$`, everything else after a `$` is kept, nothing nests and nothing is expanded twice.
 */
export const expandReferences = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replace(REFERENCE, (reference, name: string | undefined) =>
    name === undefined ? '$' : (valueOf(name) ?? reference),
  );
