import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist", "node_modules", "src/api/schema.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...ts.configs.stylistic,
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": hooks },
    rules: {
      ...hooks.configs.recommended.rules,
      eqeqeq: "error",
      "no-console": "error",
      "max-lines": ["error", 500],
      "max-lines-per-function": ["error", { max: 120, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  { files: ["public/*.js"], languageOptions: { globals: { document: "readonly", localStorage: "readonly", matchMedia: "readonly" } } },
);
