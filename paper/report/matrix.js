// matrix
