;;; hiera-ls.el --- Hiera data with eglot -*- lexical-binding: t; -*-

;; What docs/install/emacs.md shows; tests/editors/emacs runs it.

(require 'cl-lib)
(require 'eglot)

;; Each for the modes that there are: yaml-ts-mode and json-ts-mode are part of Emacs 29.
;; Leave out puppet-mode where another server shall have Puppet code: eglot has one for each buffer.
(dolist (mode '(yaml-mode yaml-ts-mode json-mode json-ts-mode js-json-mode puppet-mode puppet-ts-mode))
  (add-to-list 'eglot-server-programs (cons mode '("hiera-ls" "server"))))

(defun hiera-ls-root (directory)
  "The outermost directory at or above DIRECTORY with a hiera.yaml: modules have one, too."
  (let (root)
    (while (setq directory (locate-dominating-file directory "hiera.yaml"))
      (setq root directory
            directory (file-name-directory (directory-file-name directory))))
    root))

;; One server for the whole repository, also where it is no Git clone.
(add-hook 'project-find-functions
          (lambda (directory)
            (let ((root (hiera-ls-root directory))) (and root (cons 'transient root))))
          t)

(defun hiera-ls-maybe ()
  "Start hiera-ls where a directory above the file has a hiera.yaml."
  (when (and buffer-file-name (hiera-ls-root buffer-file-name))
    (eglot-ensure)))

(add-hook 'yaml-mode-hook #'hiera-ls-maybe)
(add-hook 'yaml-ts-mode-hook #'hiera-ls-maybe)
(add-hook 'puppet-mode-hook #'hiera-ls-maybe)
(add-hook 'puppet-ts-mode-hook #'hiera-ls-maybe)

(defun hiera-ls--ask (method &optional params)
  "What the server answers to METHOD with PARAMS."
  (jsonrpc-request (eglot--current-server-or-lose) method params))

(defun hiera-ls-select-node (name)
  "Show the values that the node called NAME gets.
With no name, show each file for any node that reads it."
  (interactive
   (list (completing-read
          "Node (empty: any node): "
          (mapcar (lambda (node) (plist-get node :name)) (hiera-ls--ask :hiera/nodes))
          nil t)))
  (hiera-ls--ask :hiera/selectNode (list :name (unless (string-empty-p name) name)))
  (if (string-empty-p name)
      (message "Showing each file for any node that reads it")
    (message "Showing the values of %s" name)))

(defun hiera-ls--assumed ()
  "What is assumed in the current buffer, as a plist of variables and their texts."
  (let ((node (hiera-ls--ask :hiera/nodeOf (list :textDocument (eglot--TextDocumentIdentifier)))))
    (apply #'append
           (mapcar (lambda (it) (list (intern (concat ":" (plist-get it :name))) (plist-get it :value)))
                   (plist-get node :assumed)))))

(defun hiera-ls--assume (variables)
  "Let all answers hold for nodes with these VARIABLES, a plist; with none, assume nothing any more."
  ;; An empty list would be sent as `null'.
  (hiera-ls--ask :hiera/assume (list :variables (or variables (make-hash-table)))))

(defun hiera-ls-pick-case ()
  "Pick one of the cases of the key at point, and show all values as they are then.
What was assumed before stays, unless the case says something else of the same variables."
  (interactive)
  (let ((cases (append (hiera-ls--ask :hiera/cases (eglot--TextDocumentPositionParams)) nil))
        (choices nil))
    (unless cases
      (user-error "There is nothing to pick: no key, or all nodes that are meant here get the same value"))
    (dolist (case cases)
      (let ((variables (plist-get case :variables)))
        ;; Only what has a text can be assumed: neither "otherwise", nor that a variable is not set.
        (when (and variables (not (memq nil variables)))
          (push (cons (format "%s: %s" (plist-get case :when) (plist-get case :value)) case) choices))))
    (unless choices
      (user-error "No case can be picked: they only say which variables are not set"))
    (setq choices (nreverse choices))
    (let* ((case (cdr (assoc (completing-read "Case: " choices nil t) choices)))
           (variables (hiera-ls--assumed)))
      (when case
        (cl-loop for (name text) on (plist-get case :variables) by #'cddr
                 do (setq variables (plist-put variables name text)))
        (hiera-ls--assume variables)
        (message "Assuming that %s" (plist-get case :when))))))

(defun hiera-ls-forget ()
  "Drop all assumptions about variables that are not known."
  (interactive)
  (hiera-ls--assume nil)
  (message "Nothing is assumed"))

(provide 'hiera-ls)
;;; hiera-ls.el ends here
